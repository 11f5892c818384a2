// The file that every worker thread and the keyring process start from, and the roles of the threads.
import type { PssRole } from './target/pss-thread.ts';
import type { TraceRole } from './trace/trace-thread.ts';

/** The worker data of a thread that the agent starts. */
export type WorkerRole = PssRole | TraceRole;

/** The URL of the entry: `workerUrl` in a bundle, and the source file otherwise. */
export function workerEntry(workerUrl: URL | undefined): URL {
  return workerUrl ?? new URL('./worker.ts', import.meta.url);
}
