// The target of a request: a path, or a whole address (RFC 9112, 3.2.2), which names the host a second time.
import type { IncomingMessage } from 'node:http';

const WHOLE_ADDRESS = /^https?:\/\/([^/?#]*)(.*)$/i;

/**
 * Leaves only the path of a whole address that names the same host as the `Host` header, so that all that follows reads
 * paths. Any other whole address stays as it is: see {@link hasForeignTarget}.
 */
export function settleTarget(request: IncomingMessage): void {
  const [, host, rest] = WHOLE_ADDRESS.exec(request.url ?? '') ?? [];
  if (host === undefined || rest === undefined) return;
  if (host.toLowerCase() !== request.headers.host?.toLowerCase()) return;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/** Whether the target, after {@link settleTarget}, is a whole address: its host is not the one of the `Host` header. */
export function hasForeignTarget({ url = '' }: IncomingMessage): boolean {
  return /^[a-z][a-z\d+.-]*:/i.test(url);
}
