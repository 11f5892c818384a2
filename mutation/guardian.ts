// Runs until a test run has ended in any way, and then removes its processes and files. Its argument is the run's folder.
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { killHolders } from './end-processes.ts';

const ROUNDS = 50;
const ROUND_MS = 100;

const folder = process.argv[2] ?? '';

/** The environment of a new process can still be empty, so this repeats until two rounds have found no process. */
async function clean(): Promise<void> {
  for (let round = 0, quiet = 0; round < ROUNDS && quiet < 2; round++) {
    quiet = killHolders(folder) === 0 ? quiet + 1 : 0;
    await sleep(ROUND_MS);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

// The run has the other end of the pipe, which closes when the run ends.
process.stdin.on('close', clean).on('error', () => {});
process.stdin.resume();
