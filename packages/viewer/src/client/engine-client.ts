// The page's worker, which reads traces, derives views and draws flame graphs.
import type { TraceCalls } from './trace-calls.ts';
import { WorkerCalls } from './worker-calls.ts';
import type { CallTable } from './worker-messages.ts';

const engine = new WorkerCalls(startWorker());

// The worker is named by its address: the page imports none of its code.
function startWorker(): Worker {
  return new Worker(new URL('../engine/engine.ts', import.meta.url), {
    type: 'module',
    name: 'engine',
  });
}

/** Returns the worker, typed by the calls that the caller makes. */
export function engineFor<Table extends CallTable>(): WorkerCalls<Table> {
  return engine as WorkerCalls<Table>;
}

/**
 * Converts a file to `.vpt` in a separate worker, which then ends. The page's worker keeps drawing
 * meanwhile.
 */
export async function convertToVpt(file: Blob): Promise<Blob> {
  const worker = startWorker();
  try {
    return await new WorkerCalls<TraceCalls>(worker).call('convert', { file });
  } finally {
    worker.terminate();
  }
}
