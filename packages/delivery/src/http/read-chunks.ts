// Reads a stored file in chunks.

const CHUNK_BYTES = 256 * 1024;

/** A stored file, open for reading at any position. */
export type OpenFile = {
  readonly bytes: number;
  /** Reads from `position` into the buffer. Returns the number of bytes read. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  /** Closing it again does nothing. */
  close(): Promise<void>;
};

/** Yields `length` bytes of an open file from `start`. Closes the file at the end or on an error. */
export async function* readChunks(
  file: OpenFile,
  start: number,
  length: number,
): AsyncGenerator<Buffer> {
  try {
    let position = start;
    const end = start + length;
    while (position < end) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - position));
      const read = await file.read(buffer, position);
      if (read === 0) throw new Error('Cannot send a file: it is shorter than expected');
      position += read;
      yield buffer.subarray(0, read);
    }
  } finally {
    await file.close();
  }
}
