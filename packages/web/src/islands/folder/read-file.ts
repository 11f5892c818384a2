// Reads bytes of a file, and recognizes that the file was changed or removed since it was chosen.
import { showName } from '@svc/game-build/folder';
import type { FolderFile } from './chosen-folder.ts';

/** A file can't be read any more. The message is for the user. */
export class FileChangedError extends Error {
  override readonly name = 'FileChangedError';
  constructor({ path }: FolderFile) {
    super(
      `The file ${showName(path)} was changed after the folder was chosen, or can’t be read. Wait until the build is finished, then choose the folder again.`,
    );
  }
}

/** Reads the bytes from `start` to `end`. Throws a {@link FileChangedError}. */
export async function readBytes(
  file: FolderFile,
  start = 0,
  end = file.bytes,
): Promise<Uint8Array<ArrayBuffer>> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = new Uint8Array(await file.file.slice(start, end).arrayBuffer());
  } catch {
    throw new FileChangedError(file);
  }
  if (bytes.length !== end - start) throw new FileChangedError(file);
  return bytes;
}
