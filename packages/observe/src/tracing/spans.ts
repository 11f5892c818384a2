// Spans of OpenTelemetry. Without `openTracing`, the API of OpenTelemetry records nothing, and these calls cost next to nothing.
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** The tracer now. A tracer that was kept would belong to an earlier SDK. */
function currentTracer(): Tracer {
  return trace.getTracer('svc');
}

/** The span of a request, and the context in which the work for it runs. */
export type RequestSpan = {
  readonly span: Span;
  readonly context: Context;
  /** The id of the trace in hex. Null if nothing is recorded. */
  readonly traceId: string | null;
};

type Headers = Readonly<Record<string, string | string[] | undefined>>;

let isOn = false;

/** Sets whether requests have spans. */
export function setTracing(on: boolean): void {
  isOn = on;
}

/**
 * Begins the span of a request; returns null if there is no tracing. `readParent` returns headers that may
 * name the trace of the caller, or null.
 */
export function startRequestSpan(
  method: string,
  readParent: () => Headers | null,
): RequestSpan | null {
  if (!isOn) return null;
  const parent = readParent();
  const outer = parent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, parent);
  const span = currentTracer().startSpan(method, { kind: SpanKind.SERVER }, outer);
  const own = span.spanContext();
  return {
    span,
    context: trace.setSpan(outer, span),
    traceId: span.isRecording() && isSpanContextValid(own) ? own.traceId : null,
  };
}

/** Ends the span of a request. */
export function endRequestSpan(
  { span }: RequestSpan,
  ended: { method: string; route: string; status: number; code: string | null; id: string },
): void {
  if (!span.isRecording()) return;
  const { method, route, status, code, id } = ended;
  span.updateName(`${method} ${route}`);
  span.setAttributes({
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'svc.request_id': id,
    ...(code === null ? {} : { 'error.type': code }),
  });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Runs the work in a context, so that its spans are children of the request's. */
export function inContext<Result>({ context: own }: RequestSpan, work: () => Result): Result {
  return context.with(own, work);
}

/** Runs the work in a span, if it is a part of a request that is recorded. */
export async function inSpan<Result>(
  name: string,
  attributes: Attributes,
  work: () => Promise<Result>,
): Promise<Result> {
  if (trace.getActiveSpan() === undefined) return await work();
  return await currentTracer().startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Records a call to another service that has just ended, if it is a part of a request that is recorded. */
export function recordSpan(
  name: string,
  { ms, attributes, isFailed }: { ms: number; attributes: Attributes; isFailed: boolean },
): void {
  if (trace.getActiveSpan()?.isRecording() !== true) return;
  const end = Date.now();
  const span = currentTracer().startSpan(name, {
    ...{ kind: SpanKind.CLIENT, attributes, startTime: end - ms },
  });
  if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(end);
}

/** Returns the headers that continue the trace of the current request in another service. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}
