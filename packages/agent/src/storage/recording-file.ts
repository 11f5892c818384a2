// The file of a recording: where it stands, how it is named, and the room kept back for its end.
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ENDING_RESERVE_BYTES, type Target } from '@svc/contracts/agent';
import { codeOf } from '@svc/contracts/caught';
import { makeDataDir } from '@svc/serve';
import { refuseUnsafe } from './check-folder.ts';

export const PARTIAL_SUFFIX = '.vpt.partial';
const NAME_CHARACTERS = 32;

/** Where recordings stand below the data folder. */
export function tracesFolder(dataDir: string): string {
  return join(dataDir, 'traces');
}

/**
 * Makes the folders, readable by their owner alone; one that exists is left as it is. Throws a sentence that says why not, also
 * where one that exists is not safe.
 */
export function makeFolders(dataDir: string): void {
  for (const folder of [dataDir, tracesFolder(dataDir)]) {
    makeDataDir(folder);
    refuseUnsafe(folder);
  }
}

/** A recording's name without the ending that it has while it is written; any other name is returned as it is. */
export function withoutPartial(path: string): string {
  return path.endsWith(PARTIAL_SUFFIX) ? path.slice(0, -'.partial'.length) : path;
}

/** A file that is being recorded: its handle and both of its names. */
export type RecordingFile = {
  readonly handle: FileHandle;
  readonly partialPath: string;
  readonly finalPath: string;
};

/** Creates `<utc>-<name>-<pid>.vpt.partial`; never one that exists, nor one whose final name is taken. */
export async function createRecordingFile(
  dataDir: string,
  target: Target,
  startedAt: Date,
): Promise<RecordingFile> {
  const utc = startedAt.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const base = `${utc}-${fileWord(target.name)}-${target.pid}`;
  for (let attempt = 1; ; attempt++) {
    const stem = join(tracesFolder(dataDir), attempt === 1 ? base : `${base}-${attempt}`);
    const finalPath = `${stem}.vpt`;
    const partialPath = `${stem}${PARTIAL_SUFFIX}`;
    const handle = await openNew(partialPath);
    if (handle === null) continue;
    if (!existsSync(finalPath)) return { handle, partialPath, finalPath };
    await handle.close();
    await unlink(partialPath);
  }
}

function fileWord(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, NAME_CHARACTERS) || 'process';
}

async function openNew(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'wx+', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return null;
    throw error;
  }
}

/** An unlinked file, readable by its owner alone: it is gone when it is closed, also by kill -9. */
export async function openUnlinked(dataDir: string, word: string): Promise<FileHandle> {
  const path = join(dataDir, `.${word}-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

/** Holds room on the disk that a full disk can't take; `release` gives it back for the end of the recording. */
export async function reserveRoom(dataDir: string): Promise<{ release(): Promise<void> }> {
  const handle = await openUnlinked(dataDir, 'reserve');
  try {
    await handle.write(randomBytes(ENDING_RESERVE_BYTES));
    await handle.sync();
  } catch (error) {
    await handle.close();
    throw error;
  }
  let held = true;
  return {
    release: async () => {
      if (held) await handle.close();
      held = false;
    },
  };
}
