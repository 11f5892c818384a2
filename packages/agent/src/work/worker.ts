// The entry of every worker thread: what reads traces, or waits for the kernel, stays off the event loop.
import { parentPort, workerData } from 'node:worker_threads';
import { answerKeyring } from '../keys/keyring-thread.ts';
import { readPssOnRequest } from '../target/pss-thread.ts';
import { answerJob } from '../trace/trace-thread.ts';
import type { WorkerRole } from './start-worker.ts';

if (parentPort !== null) {
  const role: WorkerRole = workerData;
  if (role.role === 'pss') readPssOnRequest(parentPort, role);
  else if (role.role === 'keyring') answerKeyring(parentPort);
  else answerJob(parentPort, role);
}
