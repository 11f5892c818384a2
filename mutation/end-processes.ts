// Kills the processes of test runs, including those in other process groups.
import { globSync, readFileSync } from 'node:fs';

/**
 * Kills every process whose environment contains a value that starts with the text. Returns the number of processes,
 * which is 0 on systems without /proc.
 */
export function killHolders(text: string): number {
  let killed = 0;
  for (const path of globSync('/proc/[0-9]*/environ')) {
    const pid = Number(path.split('/')[2]);
    try {
      if (pid === process.pid || !readFileSync(path, 'latin1').includes(`=${text}`)) continue;
      process.kill(pid, 'SIGKILL');
      killed++;
    } catch {
      // It has exited, or belongs to another user.
    }
  }
  return killed;
}

/** Kills a process and its process group. */
export function killGroup(pid: number): void {
  if (pid === 0) return;
  for (const one of [-pid, pid]) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It has exited, or the system has no process groups.
    }
  }
}
