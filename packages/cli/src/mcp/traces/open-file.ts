// Opens a file for reading without waiting for a pipe or a device, and without following a link.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Windows has neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** `path` is without links. Throws if its last part is one, or if it is not a regular file. */
export async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, FLAGS);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error('It is not a regular file.');
}
