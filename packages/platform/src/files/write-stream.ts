// Writes a stream to a new file in large pieces, with bounded memory.
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';

/** Chunks are collected up to this size for one write. */
const BATCH_BYTES = 1024 * 1024;
/** A chunk of at least this size is not from Node's buffer pool, and is not a small remainder of a parser. */
const OWN_FROM_BYTES = 16 * 1024;

/**
 * Writes the stream to a file that must not exist yet, without syncing it. `onBytes` is called with the number of bytes so
 * far, before they are written, and may throw to stop. The memory of the chunks is freed: the caller must not keep them.
 */
export async function writeStream(
  stream: AsyncIterable<Buffer>,
  path: string,
  onBytes: (bytes: number) => void,
  mode = 0o600,
): Promise<void> {
  await using file = await open(path, 'wx', mode);
  let bytes = 0;
  for await (const batch of inBatches(stream)) {
    bytes += bytesOf(batch);
    onBytes(bytes);
    await writeAll(file, batch);
    for (const chunk of batch) free(chunk);
  }
}

async function* inBatches(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let batch: Buffer[] = [];
  let waiting = 0;
  for await (const chunk of stream) {
    batch.push(chunk);
    waiting += chunk.length;
    if (waiting < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    waiting = 0;
  }
  if (batch.length > 0) yield batch;
}

/** A nearly full disk writes only a part and reports no error. Writing the rest reports it. */
async function writeAll(file: FileHandle, chunks: readonly Buffer[]): Promise<void> {
  const { bytesWritten } = await file.writev(chunks);
  if (bytesWritten < bytesOf(chunks)) {
    await file.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
  }
}

/**
 * Frees the memory of a chunk at once. Otherwise V8 collects its whole heap after about every 32 MiB of new buffers, which
 * took half the time of a large upload. Does nothing if the chunk shares its memory with others.
 */
function free(chunk: Buffer): void {
  const { buffer } = chunk;
  if (chunk.length < OWN_FROM_BYTES || buffer.byteLength !== chunk.length) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

function bytesOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}
