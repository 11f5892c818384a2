// Checks the host of a request. A request must name it exactly once (RFC 9112, 3.2).
import type { IncomingMessage } from 'node:http';

const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Whether the request has one valid `Host`. In HTTP/1.0 it may be missing. */
export function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter(
    (_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host',
  );
  const [host] = hosts;
  if (host === undefined) return httpVersion === '1.0';
  return hosts.length === 1 && isHost(host);
}

/** Whether the value of a `Host` header is well-formed. */
function isHost(value: string): boolean {
  return HOST.test(value);
}
