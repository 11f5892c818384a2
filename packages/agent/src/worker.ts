// The entry of every worker thread: reading traces and waiting for the kernel must not block the event loop. The keyring
// process starts here too, so a bundle has one such file. Each role imports only its own code.
import { parentPort, workerData } from 'node:worker_threads';
import type { KeyringRole } from './keyring/keyring-thread.ts';
import type { WorkerRole } from './worker-entry.ts';

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
