// Where an archive's bytes come from: a file, or memory.
import { type FileHandle, open } from 'node:fs/promises';

/** Bytes that are read at any place. */
export type ByteSource = AsyncDisposable & {
  /** Bytes in all. */
  readonly size: number;
  /**
   * `length` bytes from `offset`: at the beginning of `into` where the source has to copy them and `into` is given,
   * else in a buffer that nobody else writes to.
   * Throws a {@link ShortReadError} where they are not all there, also when the file has become shorter since.
   */
  read(offset: number, length: number, into?: Buffer): Promise<Buffer>;
};

/** The source ends before the bytes that were asked for. */
export class ShortReadError extends Error {
  override readonly name = 'ShortReadError';
}

/** Opens a file. Throws Node's `ENOENT` and the like. */
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

/** Bytes that are in memory already. */
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
  return new ShortReadError(`Cannot read ${length} bytes at ${offset}: the archive ends before.`);
}
