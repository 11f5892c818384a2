// Starts worker threads.
import { Worker } from 'node:worker_threads';

/** Starts a worker thread that does the job that its role describes. */
export type StartWorker<Role> = (role: Role) => Worker;

/** Returns a function that starts threads from the file `entry`, with the role as their worker data. */
export function workerStarter<Role>(entry: URL): StartWorker<Role> {
  return (role) => {
    const worker = new Worker(entry, { workerData: role, env: {}, stdin: false });
    // `once` with a signal removes its own listener on abort. A later error without a listener would end the agent.
    worker.on('error', () => {});
    return worker;
  };
}
