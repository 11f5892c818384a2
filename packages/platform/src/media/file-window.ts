// Reads small parts of a large file through one buffer.
import type { FileHandle } from 'node:fs/promises';

const WINDOW_BYTES = 64 * 1024;

export type FileWindow = {
  /** Size of the file in bytes. */
  readonly bytes: number;
  /** Returns up to `length` bytes from `at`, fewer at the end of the file. Valid until the next call. `length` is at most 64 KiB. */
  read(at: number, length: number): Promise<Buffer>;
};

export async function openWindow(handle: FileHandle): Promise<FileWindow> {
  const { size } = await handle.stat();
  const buffer = Buffer.alloc(WINDOW_BYTES);
  let start = 0;
  let held = 0;
  return {
    bytes: size,
    async read(at, length) {
      const end = Math.min(at + length, size);
      if (at < start || end > start + held) {
        const { bytesRead } = await handle.read(buffer, 0, WINDOW_BYTES, at);
        start = at;
        held = bytesRead;
      }
      return buffer.subarray(at - start, Math.max(at, Math.min(end, start + held)) - start);
    },
  };
}
