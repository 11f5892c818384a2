// Temporary storage for contents: one file that has no name, so that nothing is left behind if the process is killed.
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenFile } from '../http/read-chunks.ts';

const FILE_MODE = 0o600;

/** A range of the spool, in bytes. */
export type Extent = { readonly start: number; readonly bytes: number };

/** Disposing of it frees its space. */
export type Spool = AsyncDisposable & {
  /** Reserves a range. It takes no space on the disk until it is written. */
  reserve(bytes: number): Extent;
  /** Writes all bytes at a position of the spool. */
  write(chunk: Uint8Array, position: number): Promise<void>;
  /** Opens a range for reading. */
  open(extent: Extent): OpenFile;
};

/** Creates an empty spool in the folder for temporary files. Throws Node's error if that is not possible. */
export async function createSpool(): Promise<Spool> {
  const handle = await openUnnamed();
  let end = 0;
  return {
    reserve(bytes) {
      const extent = { start: end, bytes };
      end += bytes;
      return extent;
    },
    async write(chunk, position) {
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await handle.write(
          chunk,
          done,
          chunk.length - done,
          position + done,
        );
        done += bytesWritten;
      }
    },
    open: ({ start, bytes }) => ({
      bytes,
      async read(buffer, position) {
        const length = Math.min(buffer.length, bytes - position);
        if (length <= 0) return 0;
        return (await handle.read(buffer, 0, length, start + position)).bytesRead;
      },
      close: async () => {},
    }),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** Opens a new file and removes its name. The system frees its space when it is closed, also after a kill. */
async function openUnnamed(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-preview-'));
  try {
    return await open(join(folder, 'contents'), 'wx+', FILE_MODE);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
