// Derives the findings and the summary of a trace in a worker thread. The thread ends when no
// request waits for it.
import { once } from 'node:events';
import type { Finding } from '@svc/contracts/agent';
import type { ApiError } from '@svc/serve';
import { failure } from '../failure.ts';
import type { RetainedTrace } from '../trace/retained-trace.ts';
import type { TraceRole } from '../trace/trace-thread.ts';
import type { StartWorker } from '../work/start-worker.ts';

/** The result of the thread. `summary` is the text that may be sent to a provider. */
export type DerivedAnalysis = { readonly findings: Finding[]; readonly summary: string };

export type AnalysisQuestion = {
  readonly trace: RetainedTrace;
  /** Milliseconds that a frame may take. By default, one frame at 60 Hz. */
  readonly budget_ms: number | undefined;
  readonly startWorker: StartWorker<TraceRole>;
  readonly signal: AbortSignal;
};

/** The error for a request whose client has disconnected or whose time is up. */
export function requestOver(cause?: unknown): ApiError {
  return failure('deadline_exceeded', 'Cannot analyze: the request has ended', { cause });
}

/**
 * Rejects with `deadline_exceeded` when the signal aborts, and with `not_available` if the trace
 * does not fit in memory.
 */
export async function readAnalysis({
  trace,
  budget_ms,
  startWorker,
  signal,
}: AnalysisQuestion): Promise<DerivedAnalysis> {
  const opened = trace.open();
  if (opened === null)
    throw failure('no_trace', 'Cannot analyze: the trace is no longer available');
  using lease = opened.lease;
  const { descriptor } = lease;
  const worker = startWorker({
    role: 'analyze',
    descriptor,
    bytes: opened.bytes,
    ...(budget_ms !== undefined && { budget_ms }),
  });
  try {
    const [answer]: { result?: DerivedAnalysis }[] = await once(worker, 'message', { signal });
    if (answer?.result === undefined) throw new Error('the worker returned no analysis');
    return answer.result;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'ABORT_ERR') {
      throw requestOver(error);
    }
    if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
    throw failure(
      'not_available',
      'Cannot analyze: the trace is too large for the memory of this machine; svc trace assets FILE needs less memory: it ranks the assets',
      {
        cause: error,
      },
    );
  } finally {
    await worker.terminate();
  }
}
