// The page's worker, which reads traces, derives views and draws flame graphs.
import type { TraceCalls } from './trace-calls.ts';
import { WorkerCalls } from './worker-calls.ts';
import type { CallTable } from './worker-messages.ts';

/** The calls to the page's worker. */
type Engine<Table extends CallTable> = Pick<WorkerCalls<Table>, 'call'>;

let startWorker: (() => Worker) | null = null;
let engine: WorkerCalls<CallTable> | null = null;

/** Starts the page's worker. The entry of the page calls it once, because each kind of page has its own worker. */
export function startEngine(start: () => Worker): void {
  startWorker = start;
  engine = new WorkerCalls(start());
}

/** Returns the worker, typed by the calls that the caller makes. A call before `startEngine` throws. */
export function engineFor<Table extends CallTable>(): Engine<Table> {
  return {
    call: (name, args, options) => {
      if (engine === null) throw new Error('The worker of this page has not been started');
      return (engine as WorkerCalls<Table>).call(name, args, options);
    },
  };
}

/**
 * Converts a file to `.vpt` in a separate worker, which then ends. The page's worker keeps drawing
 * meanwhile.
 */
export async function convertToVpt(file: Blob): Promise<Blob> {
  if (startWorker === null) throw new Error('The worker of this page has not been started');
  const worker = startWorker();
  try {
    return await new WorkerCalls<TraceCalls>(worker).call('convert', { file });
  } finally {
    worker.terminate();
  }
}
