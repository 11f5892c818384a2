// Whether a process of this machine runs.
import { readFileSync } from 'node:fs';

/** Whether the process runs. */
export function isRunning(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    // A process that nobody has waited for still has its id.
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
