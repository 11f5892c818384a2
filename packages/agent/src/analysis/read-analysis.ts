// The findings and the summary of a trace, derived in a worker thread that ends when nobody waits any more.
import { once } from 'node:events';
import type { Finding } from '@svc/contracts/agent';
import { ApiError } from '@svc/serve';
import type { RetainedTrace } from '../trace/retained-trace.ts';
import type { TraceRole } from '../trace/trace-thread.ts';
import type { StartWorker } from '../work/start-worker.ts';

/** What the thread derives; `summary` is what a provider may be sent. */
export type DerivedAnalysis = { readonly findings: Finding[]; readonly summary: string };

export type AnalysisQuestion = {
  readonly trace: RetainedTrace;
  /** How long a frame may take; one at 60 Hz where it is not given. */
  readonly budget_ms: number | undefined;
  readonly startWorker: StartWorker<TraceRole>;
  readonly signal: AbortSignal;
};

/** The error for a request that nobody waits for any more, or whose time is up. */
export function requestOver(cause?: unknown): ApiError {
  return new ApiError('deadline_exceeded', 'Cannot analyze: the request is over', { cause });
}

/** Rejects with `deadline_exceeded` when the signal aborts, and with `not_available` where the trace does not fit in memory. */
export async function readAnalysis({
  trace,
  budget_ms,
  startWorker,
  signal,
}: AnalysisQuestion): Promise<DerivedAnalysis> {
  const opened = trace.open();
  if (opened === null) throw new ApiError('no_trace', 'Cannot analyze: the trace is gone');
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
    if (answer?.result === undefined) throw new Error('no analysis came of a checked trace');
    return answer.result;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'ABORT_ERR') {
      throw requestOver(error);
    }
    if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
    throw new ApiError(
      'not_available',
      'Cannot analyze: the trace is too large for the memory here; svc trace assets FILE needs less memory: it ranks the assets',
      {
        cause: error,
      },
    );
  } finally {
    await worker.terminate();
  }
}
