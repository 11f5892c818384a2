// The target of a request: a path, or an absolute URL (RFC 9112, 3.2.2), which names the host a
// second time.
import type { IncomingMessage } from 'node:http';

const WHOLE_ADDRESS = /^https?:\/\/([^/?#]*)(.*)$/i;

/**
 * Reduces an absolute URL with the same host as the `Host` header to its path, so that later code
 * only reads paths. Any other absolute URL is not changed. See {@link hasForeignTarget}.
 */
export function normalizeTarget(request: IncomingMessage): void {
  const [, host, rest] = WHOLE_ADDRESS.exec(request.url ?? '') ?? [];
  if (host === undefined || rest === undefined) return;
  if (host.toLowerCase() !== request.headers.host?.toLowerCase()) return;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Whether the target, after {@link normalizeTarget}, is still an absolute URL. Its host differs from
 * the `Host` header.
 */
export function hasForeignTarget({ url = '' }: IncomingMessage): boolean {
  return /^[a-z][a-z\d+.-]*:/i.test(url);
}
