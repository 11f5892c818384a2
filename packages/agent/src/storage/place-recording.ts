// Gives a finished recording its final name, even if the file has been moved meanwhile.
import { existsSync } from 'node:fs';
import { type FileHandle, open, readlink, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type RecordingFile, withoutPartial } from './recording-file.ts';

/**
 * Renames the file to its final name in its current folder and returns its path. If the final name
 * is taken, the file keeps its name. Returns null if the file has been deleted or can't be found.
 */
export async function placeRecording(file: RecordingFile): Promise<string | null> {
  const path = await standingPath(file);
  if (path === null) return null;
  const target = path === file.partialPath ? file.finalPath : withoutPartial(path);
  if (target === path || (existsSync(target) && !file.replaces)) return path;
  try {
    await rename(path, target);
  } catch {
    return path;
  }
  await syncFolder(dirname(target)).catch(() => {});
  return target;
}

/**
 * The current path of the open file: the path it was created at, or the path that the kernel
 * reports, which only Linux does.
 */
async function standingPath({ handle, partialPath }: RecordingFile): Promise<string | null> {
  if (await isPathOf(handle, partialPath)) return partialPath;
  const moved = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null);
  return moved !== null && (await isPathOf(handle, moved)) ? moved : null;
}

async function isPathOf(handle: FileHandle, path: string): Promise<boolean> {
  try {
    const [own, found] = [await handle.stat({ bigint: true }), await stat(path, { bigint: true })];
    return own.dev === found.dev && own.ino === found.ino;
  } catch {
    return false;
  }
}

/**
 * Copies the first `bytes` of an open file to a new file and syncs it. If this rejects, no new file
 * remains.
 */
export async function copyBytes(from: FileHandle, bytes: number, path: string): Promise<void> {
  const to = await open(path, 'wx', 0o600);
  try {
    const source = from.createReadStream({ start: 0, end: bytes - 1, autoClose: false });
    for await (const chunk of source) await to.writeFile(chunk);
    await to.sync();
  } catch (error) {
    await unlink(path).catch(() => {});
    throw error;
  } finally {
    await to.close();
  }
  await syncFolder(dirname(path));
}

/** Windows has no such call for folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
