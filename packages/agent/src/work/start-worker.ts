// Starts a worker thread in one of its roles. From source the entry is found by itself; a bundle hands in where its own is.
import { Worker } from 'node:worker_threads';
import type { KeyringRole } from '../keys/keyring-thread.ts';
import type { PssRole } from '../target/pss-thread.ts';
import type { TraceRole } from '../trace/trace-thread.ts';

export type WorkerRole = PssRole | TraceRole | KeyringRole;
export type StartWorker = (role: WorkerRole) => Worker;

/** Binds where the entry is. */
export function workerStarter(workerUrl: URL | undefined): StartWorker {
  const entry = workerUrl ?? new URL('./worker.ts', import.meta.url);
  return (role) => new Worker(entry, { workerData: role, env: {}, stdin: false });
}
