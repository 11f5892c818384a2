// Finds recordings that a killed session left behind. They are offered to the user and never
// deleted.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RecoveredTrace } from '@svc/contracts/agent';
import { isHeld } from './hold-recording.ts';
import { PARTIAL_SUFFIX, tracesFolder } from './recording-file.ts';

/** Every `.partial` file that is not empty and that no running agent holds, newest first. */
export async function findLeftOver(dataDir: string): Promise<RecoveredTrace[]> {
  const folder = tracesFolder(dataDir);
  const names = readdirSync(folder).filter((name) => name.endsWith(PARTIAL_SUFFIX));
  const found = await Promise.all(names.map((name) => leftOver(folder, name)));
  return found
    .filter((trace) => trace !== null)
    .sort((a, b) => b.modified_at.localeCompare(a.modified_at));
}

async function leftOver(folder: string, name: string): Promise<RecoveredTrace | null> {
  const path = join(folder, name);
  try {
    const entry = lstatSync(path);
    // A recording is a regular file. A symbolic link could lead anywhere.
    if (!entry.isFile() || entry.size === 0 || (await isHeld(path))) return null;
    return { name, path, bytes: entry.size, modified_at: entry.mtime.toISOString() };
  } catch {
    return null; // finished and renamed by its agent while we looked
  }
}
