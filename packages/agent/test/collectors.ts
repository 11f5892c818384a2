// The collectors that run on this machine, found in /proc.
import { readdirSync, readFileSync } from 'node:fs';

/** PIDs of the collectors of a target: bpftrace, and the helper that watches it. */
export function collectorsOf(pid: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((one) => {
      const words = commandOf(one);
      return words.includes(String(pid)) && words.some((word) => /bpftrace$|svc-probe$/.test(word));
    });
}

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
