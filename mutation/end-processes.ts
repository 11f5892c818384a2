// Ends the processes of test runs, also those that tests started in groups of their own.
import { globSync, readFileSync } from 'node:fs';

/**
 * Kills every process that has the text in its environment as a value or the beginning of one, and returns how many
 * there were. Finds none where there is no /proc.
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
      // It has ended, or is somebody else's.
    }
  }
  return killed;
}

/** Kills a process and its group. */
export function killGroup(pid: number): void {
  if (pid === 0) return;
  for (const one of [-pid, pid]) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It has ended, or the system knows no groups.
    }
  }
}
