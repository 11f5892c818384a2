// The entry of every worker thread: what reads traces, or waits for the kernel, stays off the event loop. The keyring has a
// process of its own, which starts here too, so that a bundle has one such file. Each role loads only its own code.
import { parentPort, workerData } from 'node:worker_threads';
import type { KeyringRole } from './keyring/keyring-thread.ts';
import type { WorkerRole } from './work/start-worker.ts';

const role: WorkerRole | KeyringRole | null = workerData;
if (parentPort === null || role === null) {
  const { KEYRING_ARGUMENT, relayKeyring } = await import('./keyring/keyring-process.ts');
  if (process.argv[2] === KEYRING_ARGUMENT) relayKeyring(new URL(import.meta.url));
} else if (role.role === 'keyring') {
  const { answerKeyring } = await import('./keyring/keyring-thread.ts');
  answerKeyring(parentPort);
} else if (role.role === 'pss') {
  const { readPssOnRequest } = await import('./target/pss-thread.ts');
  readPssOnRequest(parentPort, role);
} else {
  const { answerJob } = await import('./trace/trace-thread.ts');
  answerJob(parentPort, role);
}
