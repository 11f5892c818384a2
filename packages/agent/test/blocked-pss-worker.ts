// A worker whose readings of PSS block inside a system call, as one of the kernel's that never returns: no thread can be ended then.
import { closeSync, openSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PSS_READY } from '../src/target/pss-thread.ts';
import type { WorkerRole } from '../src/work/start-worker.ts';

/** A FIFO: opening it returns once the test opens its other end. */
const gate = new URL(import.meta.url).searchParams.get('gate') ?? '';
const role: WorkerRole = workerData;
if (role.role === 'pss') {
  parentPort?.on('message', () => closeSync(openSync(gate, 'r')));
  parentPort?.postMessage(PSS_READY);
}
