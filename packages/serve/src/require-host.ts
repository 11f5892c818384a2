// Which host a request is for: RFC 9112 (3.2) has a server refuse a request that does not say so exactly once.
import type { IncomingMessage } from 'node:http';

const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Whether the request has one well-formed `Host`. HTTP/1.0 knows requests without one. */
export function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter(
    (_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host',
  );
  const [host] = hosts;
  if (host === undefined) return httpVersion === '1.0';
  return hosts.length === 1 && isHost(host);
}

/** Whether the value of a `Host` header is well-formed. */
export function isHost(value: string): boolean {
  return HOST.test(value);
}
