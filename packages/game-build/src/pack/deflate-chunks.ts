// Compresses a stream with Deflate, at the speed at which it is read.
import { createDeflateRaw } from 'node:zlib';

/** Yields raw Deflate data. Calls `onChunk` with each chunk before it is compressed. Throws the errors of `chunks`. */
export async function* deflateChunks(
  chunks: AsyncIterable<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
): AsyncGenerator<Buffer> {
  const deflate = createDeflateRaw({ chunkSize: 128 * 1024 });
  let parts: Buffer[] = [];
  let failure: Error | null = null;
  deflate.on('data', (part: Buffer) => parts.push(part));
  deflate.on('error', (error) => {
    failure = error;
  });
  const ended = new Promise<void>((resolve) => deflate.on('close', resolve));
  try {
    for await (const chunk of chunks) {
      onChunk(chunk);
      await new Promise<void>((resolve) => deflate.write(chunk, () => resolve()));
      if (failure !== null) throw failure;
      const ready = parts;
      parts = [];
      yield* ready;
    }
    deflate.end();
    await ended;
    if (failure !== null) throw failure;
    yield* parts;
  } finally {
    deflate.destroy();
  }
}
