// Started beside a run: outlives it, however that ends, and removes what it left. Its argument is the run's folder.
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { killHolders } from './end-processes.ts';

const ROUNDS = 50;
const ROUND_MS = 100;

const folder = process.argv[2] ?? '';

/** A process that was just started may not show its environment yet: looks until two rounds have found none. */
async function clean(): Promise<void> {
  for (let round = 0, quiet = 0; round < ROUNDS && quiet < 2; round++) {
    quiet = killHolders(folder) === 0 ? quiet + 1 : 0;
    await sleep(ROUND_MS);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

// The run holds the other end of the pipe.
process.stdin.on('close', clean).on('error', () => {});
process.stdin.resume();
