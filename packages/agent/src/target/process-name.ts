// The name of a process on Linux, as people know it.
import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import type { ProcessStat } from './process-stat.ts';

/**
 * The name that Node gives to the main thread, which the kernel reports as the name of the process.
 */
const NODE_THREAD = 'MainThread';

/** `folder` is the process's folder in /proc. */
export function processName({ name }: Pick<ProcessStat, 'name'>, folder: string): string {
  // The kernel cuts names at 15 bytes, possibly within a character.
  if (name !== NODE_THREAD) return name.replace(/\uFFFD+$/, '');
  try {
    return basename(readlinkSync(`${folder}/exe`));
  } catch {
    return name;
  }
}
