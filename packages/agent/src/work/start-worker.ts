// Starts a worker thread in one of its roles. From source the entry is found by itself; a bundle hands in where its own is.
import { Worker } from 'node:worker_threads';
import type { PssRole } from '../target/pss-thread.ts';
import type { TraceRole } from '../trace/trace-thread.ts';

export type WorkerRole = PssRole | TraceRole;
export type StartWorker = (role: WorkerRole) => Worker;

/** The file that worker threads start from: the one of a bundle, else the source. */
export function workerEntry(workerUrl: URL | undefined): URL {
  return workerUrl ?? new URL('../worker.ts', import.meta.url);
}

/** Binds where the entry is. */
export function workerStarter(workerUrl: URL | undefined): StartWorker {
  const entry = workerEntry(workerUrl);
  return (role) => {
    const worker = new Worker(entry, { workerData: role, env: {}, stdin: false });
    // `once` with a signal takes its own listener away at the abort; a fault after that would end the agent.
    worker.on('error', () => {});
    return worker;
  };
}
