// The line of the log for a request.
import type { Log, LogLevel } from '../log/log.ts';
import type { EndedRequest } from './watch-requests.ts';

/** Routes that supervisors and proxies ask every few seconds. */
const HEALTH = new Set(['/healthz', '/livez', '/readyz']);
const FAILED = 500;
/** An IPv4 or IPv6 address, not checked further. */
const ADDRESS = /^[0-9a-f.:]{2,45}$/i;

/** Writes the line of a request. Its level is `warn` if the server could not answer, and `debug` for questions about its health. */
export function logRequest(
  log: Log,
  { id, method, route, status, code, ms, bytes, isCutOff, address, traceId }: EndedRequest,
  withAddress: boolean,
): void {
  log[levelOf(route, status)]('request', {
    method,
    route,
    status,
    ...(code === null ? {} : { code }),
    ms: Math.round(ms * 10) / 10,
    bytes,
    ...(isCutOff ? { cut_off: true } : {}),
    // A proxy may pass on any text.
    ...(withAddress && ADDRESS.test(address) ? { address } : {}),
    request_id: id,
    ...(traceId === null ? {} : { trace_id: traceId }),
  });
}

function levelOf(route: string, status: number): LogLevel {
  if (HEALTH.has(route)) return 'debug';
  return status >= FAILED ? 'warn' : 'info';
}
