// The file of a recording: its folder, its names, and the room that is reserved for its end.
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, lstat, open, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ENDING_RESERVE_BYTES, type Target } from '@svc/contracts/agent';
import { codeOf } from '@svc/contracts/caught';
import { makeDataDir } from '@svc/serve';
import { StartError } from '../start-error.ts';
import { refuseUnsafe } from './check-folder.ts';
import { isHeld } from './hold-recording.ts';

export const PARTIAL_SUFFIX = '.vpt.partial';
const NAME_CHARACTERS = 32;

/** The folder of the recordings, in the data folder. */
export function tracesFolder(dataDir: string): string {
  return join(dataDir, 'traces');
}

/**
 * Creates the folders, readable only by their owner. Existing folders are not changed. Throws if a
 * folder can't be created, or is not safe.
 */
export function makeFolders(dataDir: string): void {
  for (const folder of [dataDir, tracesFolder(dataDir)]) {
    makeDataDir(folder);
    refuseUnsafe(folder);
  }
}

/** The path of a recording without the suffix `.partial`. Any other path is returned unchanged. */
export function withoutPartial(path: string): string {
  return path.endsWith(PARTIAL_SUFFIX) ? path.slice(0, -'.partial'.length) : path;
}

/** A file that is being recorded: its handle, and its path during and after the recording. */
export type RecordingFile = {
  readonly handle: FileHandle;
  readonly partialPath: string;
  readonly finalPath: string;
  /** Whether a file at the final path is replaced. Otherwise the recording keeps its `.partial` name. */
  readonly replaces: boolean;
};

/**
 * Creates `OUTPUT.partial`, after it has removed the file of this user that a killed recording left there. The mode is
 * the usual one of the user's files. Throws StartError `output_in_use` if another recording writes it, or if the path
 * leads to something else.
 */
export async function createNamedFile(output: string): Promise<RecordingFile> {
  const partialPath = `${output}.partial`;
  const there = await lstat(partialPath).catch(() => null);
  if (there !== null) {
    if (!there.isFile() || there.uid !== (process.getuid?.() ?? there.uid)) {
      const what = there.isFile() ? 'belongs to another user' : 'is not a file';
      throw inUse(output, `"${basename(partialPath)}", which is used meanwhile, ${what}`);
    }
    if (await isHeld(partialPath)) throw inUse(output, 'another svc records into it');
    await unlink(partialPath);
  }
  const handle = await openNew(partialPath, 0o644);
  if (handle === null) throw inUse(output, 'another svc records into it');
  return { handle, partialPath, finalPath: output, replaces: true };
}

function inUse(output: string, why: string): StartError {
  return new StartError(
    'output_in_use',
    `Cannot write "${basename(output)}": ${why}; name another file with -o`,
  );
}

/**
 * Creates `<utc>-<name>-<pid>.vpt.partial`. A number is appended if the file or its final name
 * already exists.
 */
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
    if (!existsSync(finalPath)) return { handle, partialPath, finalPath, replaces: false };
    await handle.close();
    await unlink(partialPath);
  }
}

function fileWord(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, NAME_CHARACTERS) || 'process';
}

async function openNew(path: string, mode = 0o600): Promise<FileHandle | null> {
  try {
    return await open(path, 'wx+', mode);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return null;
    throw error;
  }
}

/**
 * Opens an unlinked file that only its owner can read. It is deleted when it is closed, even by
 * SIGKILL.
 */
export async function openUnlinked(dataDir: string, word: string): Promise<FileHandle> {
  const path = join(dataDir, `.${word}-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

/** Reserves room on the disk of the folder for the end of the recording. `release` frees it. */
export async function reserveRoom(folder: string): Promise<{ release(): Promise<void> }> {
  const handle = await openUnlinked(folder, 'reserve');
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
