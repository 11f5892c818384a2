// What an operator sees of a server: its log, its requests and its metrics. See README.md.
export { countLines } from './log/count-lines.ts';
export {
  errorFields,
  LOG_LEVELS,
  type Log,
  type LogFields,
  NO_LOG,
} from './log/log.ts';
export { createHttpMetrics, type HttpMetrics } from './metrics/http-metrics.ts';
export { serveMetrics } from './metrics/serve-metrics.ts';
export { observeRequests } from './observe-requests.ts';
export { openServerLog } from './open-server-log.ts';
export type { RequestWatch } from './requests/watch-requests.ts';
export { type ObserveSettings, readObserveSettings } from './settings.ts';
export { openTracing } from './tracing/open-tracing.ts';
export { inSpan, recordSpan, traceHeaders } from './tracing/spans.ts';
