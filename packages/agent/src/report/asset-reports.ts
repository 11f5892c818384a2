// Derives asset cost reports in a worker thread, one at a time. The thread ends when no request
// waits for it.
import { once } from 'node:events';
import type { AssetReport } from '@svc/contracts/agent';
import { codeOf } from '@svc/contracts/caught';
import type { ApiError } from '@svc/serve';
import { AssetReportSink } from '@svc/trace';
import { failure } from '../failure.ts';
import type { RetainedTrace } from '../trace/retained-trace.ts';
import type { TraceAnswer, TraceRole } from '../trace/trace-thread.ts';
import type { StartWorker } from '../work/start-worker.ts';
import { untilAborted } from '../work/until-aborted.ts';

/** A report, complete or still being derived. */
type Derivation = {
  readonly trace: RetainedTrace;
  readonly bytes: number;
  readonly report: Promise<AssetReport>;
  /** The number of requests that wait for it. */
  waiting: number;
  done: boolean;
  readonly stop: AbortController;
};

/**
 * Keeps the latest report. A repeated request for the same bytes of the same trace gets the same
 * report.
 */
export class AssetReports {
  readonly #startWorker: StartWorker<TraceRole>;
  #latest: Derivation | null = null;

  constructor(startWorker: StartWorker<TraceRole>) {
    this.#startWorker = startWorker;
  }

  /**
   * The report of the trace's current bytes. Rejects with the signal's reason when it aborts, and
   * with `not_available` if the trace does not fit in memory.
   */
  async of(trace: RetainedTrace | null, signal: AbortSignal): Promise<AssetReport> {
    while (trace !== null) {
      signal.throwIfAborted();
      const latest = this.#latest;
      if (latest === null) return await this.#wait(this.#begin(trace), signal);
      if (latest.trace === trace && latest.bytes === trace.fileBytes) {
        return await this.#wait(latest, signal);
      }
      // Another report is running or complete. Only one is derived at a time.
      await untilAborted(
        latest.report.catch(() => null),
        signal,
      );
      this.#forget(latest);
    }
    return noAssets();
  }

  #begin(trace: RetainedTrace): Derivation {
    const stop = new AbortController();
    const derivation: Derivation = {
      trace,
      bytes: trace.fileBytes,
      report: derive(this.#startWorker, trace, stop.signal),
      waiting: 0,
      done: false,
      stop,
    };
    this.#latest = derivation;
    derivation.report.then(
      () => {
        derivation.done = true;
      },
      () => this.#forget(derivation),
    );
    return derivation;
  }

  /** Waits for a report. When the last waiting request gives up, the work ends. */
  async #wait(derivation: Derivation, signal: AbortSignal): Promise<AssetReport> {
    derivation.waiting++;
    try {
      return await untilAborted(derivation.report, signal);
    } finally {
      derivation.waiting--;
      if (derivation.waiting === 0 && !derivation.done) {
        this.#forget(derivation);
        derivation.stop.abort();
      }
    }
  }

  #forget(derivation: Derivation): void {
    if (this.#latest === derivation) this.#latest = null;
  }
}

async function derive(
  startWorker: StartWorker<TraceRole>,
  trace: RetainedTrace,
  signal: AbortSignal,
): Promise<AssetReport> {
  const opened = trace.open();
  if (opened === null) return noAssets();
  using lease = opened.lease;
  const { descriptor } = lease;
  const worker = startWorker({ role: 'assets', descriptor, bytes: opened.bytes });
  try {
    const answers: (TraceAnswer & { result?: AssetReport })[] = await once(worker, 'message', {
      signal,
    });
    const [answer] = answers;
    if (answer !== undefined && 'fault' in answer) throw notAvailable(answer.fault.message);
    if (answer?.result === undefined) throw new Error('the worker returned no asset report');
    return answer.result;
  } catch (error) {
    if (codeOf(error) !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
    throw notAvailable(
      'Cannot rank the assets: the trace is too large for the memory of this machine',
      error,
    );
  } finally {
    await worker.terminate();
  }
}

function notAvailable(message: string, cause?: unknown): ApiError {
  return failure('not_available', message, { cause });
}

function noAssets(): AssetReport {
  const { weights, budget_ms, totals } = new AssetReportSink().report();
  return { assets: [], left_out: 0, totals: { ...totals }, weights: { ...weights }, budget_ms };
}
