// The page's one worker. It reads traces, derives views and draws flame graphs.
import { WorkerCalls } from './worker-calls.ts';
import type { CallTable } from './worker-messages.ts';

// The worker is named by its address: the page imports none of its code.
const engine = new WorkerCalls(
  new Worker(new URL('../engine/engine.ts', import.meta.url), { type: 'module', name: 'engine' }),
);

/** Returns the worker, typed by the calls that the caller makes. */
export function engineFor<Table extends CallTable>(): WorkerCalls<Table> {
  return engine as WorkerCalls<Table>;
}
