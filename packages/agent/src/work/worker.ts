// The entry of every worker thread: what reads traces, or waits for the kernel, stays off the event loop. The keyring has a
// process of its own, which starts here too, so that a bundle has one such file.
import { parentPort, workerData } from 'node:worker_threads';
import { KEYRING_ARGUMENT, relayKeyring } from '../keys/keyring-process.ts';
import { answerKeyring, type KeyringRole } from '../keys/keyring-thread.ts';
import { readPssOnRequest } from '../target/pss-thread.ts';
import { answerJob } from '../trace/trace-thread.ts';
import type { WorkerRole } from './start-worker.ts';

if (parentPort !== null) {
  const role: WorkerRole | KeyringRole = workerData;
  if (role.role === 'pss') readPssOnRequest(parentPort, role);
  else if (role.role === 'keyring') answerKeyring(parentPort);
  else answerJob(parentPort, role);
} else if (process.argv[2] === KEYRING_ARGUMENT) {
  relayKeyring(new URL(import.meta.url));
}
