// The one worker that reads traces, derives views and draws flame graphs.
import { WorkerCalls } from './call-worker.ts';

export const engine = new WorkerCalls(
  new Worker(new URL('./engine.ts', import.meta.url), { type: 'module', name: 'engine' }),
);
