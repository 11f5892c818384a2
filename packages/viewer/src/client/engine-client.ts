// The one worker that reads traces, derives views and draws flame graphs.
import { WorkerCalls } from './worker-calls.ts';

export const engine = new WorkerCalls(
  new Worker(new URL('../engine/engine.ts', import.meta.url), { type: 'module', name: 'engine' }),
);
