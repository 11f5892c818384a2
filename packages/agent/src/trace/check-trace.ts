// Checks a trace in a worker thread while it arrives. Only a few chunks are held in memory.
import type { Worker } from 'node:worker_threads';
import type { ApiError } from '@svc/serve';
import type { TraceFacts } from '@svc/trace';
import { failure } from '../failure.ts';
import type { StartWorker } from '../work/start-worker.ts';
import type { TraceAnswer, TraceFault, TraceRequest, TraceRole } from './trace-thread.ts';

export type TraceCheck = AsyncDisposable & {
  /**
   * Transfers the bytes to the thread. Resolves when there is room for more. Rejects with
   * `invalid_trace` or `invalid_utf8` for bytes that were pushed before.
   */
  push(chunk: Uint8Array<ArrayBuffer>): Promise<void>;
  finish(): Promise<TraceFacts>;
};

/** The most bytes that may be on their way to the thread. */
const WINDOW_BYTES = 4 * 1024 * 1024;

/** Starts a thread that checks. Disposing of the result ends it. */
export function checkTrace(startWorker: StartWorker<TraceRole>): TraceCheck {
  const worker = startWorker({ role: 'check' });
  const result = Promise.withResolvers<TraceFacts>();
  let fault: { readonly error: unknown } | null = null;
  result.promise.catch((error: unknown) => {
    fault = { error };
  });
  let underWay = 0;
  let room = Promise.withResolvers<void>();
  listen(worker, result, (taken) => {
    underWay -= taken;
    room.resolve();
    room = Promise.withResolvers();
  });
  const send = (request: TraceRequest, transfer: ArrayBuffer[] = []): void =>
    worker.postMessage(request, transfer);
  return {
    push: async (chunk) => {
      if (fault !== null) throw fault.error;
      underWay += chunk.length;
      send({ chunk }, [chunk.buffer]);
      while (underWay > WINDOW_BYTES) await Promise.race([room.promise, result.promise]);
    },
    finish: () => {
      send({ finish: true });
      return result.promise;
    },
    [Symbol.asyncDispose]: async () => {
      await worker.terminate();
    },
  };
}

function listen(
  worker: Worker,
  result: PromiseWithResolvers<TraceFacts>,
  taken: (bytes: number) => void,
): void {
  worker.on('message', (answer: TraceAnswer & { result?: TraceFacts }) => {
    if ('taken' in answer) taken(answer.taken);
    else if ('fault' in answer) result.reject(faultError(answer.fault));
    else if (answer.result !== undefined) result.resolve(answer.result);
  });
  worker.once('error', result.reject);
  worker.once('exit', () => result.reject(new Error('the thread that reads traces has ended')));
}

/** The answer to an import of an invalid trace. */
export function faultError({ code, message, line, column }: TraceFault): ApiError {
  const ours = code === 'invalid_utf8' ? 'invalid_utf8' : 'invalid_trace';
  return failure(ours, message, { line, column });
}
