// Reads files of the store. A file that the disk cannot read is not the same as a store that cannot be reached.
import type { FileStore, OpenFile } from '../files/file-store.ts';
import { isErrno, MissingFileError } from '../files/storage-error.ts';

/** The system cannot read this file. Others may be readable. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

/** System errors of the process, not of the file. */
const OF_PROCESS = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'];

/** Opens a file. Returns null if it is missing. Opening and reading it throw an `UnreadableFileError` on an error of the system. */
export async function openIfThere(files: FileStore, key: string): Promise<OpenFile | null> {
  try {
    const file = await files.open(key);
    return {
      bytes: file.bytes,
      read: (buffer, position) => file.read(buffer, position).catch(throwUnreadable),
      close: () => file.close().catch(throwUnreadable),
    };
  } catch (error) {
    if (error instanceof MissingFileError) return null;
    return throwUnreadable(error);
  }
}

/** A store that cannot be reached, and a process without resources, are not faults of one file. Their errors stay as they are. */
function throwUnreadable(error: unknown): never {
  const isOfFile =
    error instanceof Error &&
    'syscall' in error &&
    !OF_PROCESS.some((code) => isErrno(error, code));
  if (!isOfFile) throw error;
  const message = `The file could not be read: ${error.message}`;
  throw new UnreadableFileError(message, { cause: error });
}
