// A worker whose reports and analyses never end, to test time limits and clients that disconnect.
import { parentPort, workerData } from 'node:worker_threads';
import { answerJob } from '../src/trace/trace-thread.ts';
import type { WorkerRole } from '../src/worker-entry.ts';

const role: WorkerRole = workerData;
if (role.role === 'assets' || role.role === 'analyze') for (;;);
if (parentPort !== null && (role.role === 'check' || role.role === 'open'))
  answerJob(parentPort, role);
