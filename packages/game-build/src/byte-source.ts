// The bytes of an archive, from a file or from memory.
import { type FileHandle, open } from 'node:fs/promises';

/** Bytes with random access. */
export type ByteSource = AsyncDisposable & {
  /** Total number of bytes. */
  readonly size: number;
  /**
   * Reads `length` bytes from `offset`. If the source has to copy them, it writes them to the start of `into`, or to a new
   * buffer without `into`. Throws a {@link ShortReadError} if the source ends before, also if the file has shrunk since.
   */
  read(offset: number, length: number, into?: Buffer): Promise<Buffer>;
};

/** The source ends before the requested bytes. */
export class ShortReadError extends Error {
  override readonly name = 'ShortReadError';
}

/** Opens a file. Throws Node's errors, such as `ENOENT`. */
export async function openFileSource(path: string): Promise<ByteSource> {
  const handle = await open(path, 'r');
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error(`Cannot read "${path}": not a regular file`);
    return {
      size: stat.size,
      read: (offset, length, into = Buffer.allocUnsafeSlow(length)) =>
        readFully(handle, offset, into.subarray(0, length)),
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A source in memory. */
export function bufferSource(bytes: Buffer): ByteSource {
  return {
    size: bytes.length,
    read: async (offset, length) => {
      if (offset < 0 || offset + length > bytes.length) throw shortRead(offset, length);
      return bytes.subarray(offset, offset + length);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

async function readFully(handle: FileHandle, offset: number, buffer: Buffer): Promise<Buffer> {
  const { length } = buffer;
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) throw shortRead(offset, length);
    filled += bytesRead;
  }
  return buffer;
}

function shortRead(offset: number, length: number): ShortReadError {
  return new ShortReadError(`Cannot read ${length} bytes at ${offset}: the archive ends earlier.`);
}
