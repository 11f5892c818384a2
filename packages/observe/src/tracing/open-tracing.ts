// Sends spans to a collector of OpenTelemetry, if the settings name one. The SDK is loaded only then.
import { context, propagation, trace } from '@opentelemetry/api';
import { messageOf } from '@svc/contracts/caught';
import type { Log } from '../log/log.ts';
import type { ObserveSettings } from '../settings.ts';
import { setTracing } from './spans.ts';

/** Failures of the exporter are logged at most this often. */
const LOG_EVERY_MS = 60_000;
/** How long spans are kept before they are sent, and how long that may take. */
const KEPT_MS = 2_000;
const SEND_MS = 3_000;
/** How long the last spans may take at the end. */
const END_MS = 2_000;

/** The server that sends spans. */
type Service = { readonly name: string; readonly version: string };

/**
 * Starts to record and send spans. Disposing of the result sends what is left, for at most two seconds. Only one server of a
 * process can do it. Does nothing without the setting.
 */
export async function openTracing(
  { traces }: ObserveSettings,
  { name, version }: Service,
  log: Log,
): Promise<AsyncDisposable> {
  if (traces === null) return { async [Symbol.asyncDispose]() {} };
  const [sdk, { OTLPTraceExporter }, { resourceFromAttributes }, hooks, core] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/core'),
  ]);
  core.setGlobalErrorHandler(failureLog(log));
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': name, 'service.version': version }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(traces.ratio) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: traces.url, timeoutMillis: SEND_MS }),
        scheduledDelayMillis: KEPT_MS,
      }),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  setTracing(true);
  return {
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        log.warn(
          'the last traces were not sent: the collector (SVC_TRACES_URL) did not answer in time',
        );
        resolve();
      }, END_MS);
      await Promise.race([provider.shutdown().catch(() => {}), promise]);
      clearTimeout(timer);
      setTracing(false);
      trace.disable();
      context.disable();
      propagation.disable();
      core.setGlobalErrorHandler(core.loggingErrorHandler());
    },
  };
}

/** Returns the function that logs failures to send spans. */
function failureLog(log: Log): (error: unknown) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - loggedAt < LOG_EVERY_MS) return;
    loggedAt = performance.now();
    log.warn(`traces cannot be sent to the collector (SVC_TRACES_URL): ${messageOf(error)}`);
  };
}
