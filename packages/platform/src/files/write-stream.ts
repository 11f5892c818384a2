// Writes what comes in to a new file, in large pieces and with bounded memory.
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';

/** So much is gathered for one write. */
const BATCH_BYTES = 1024 * 1024;
/** A chunk of at least so many bytes stands in no pool of Node's and is no scrap of a parser's. */
const OWN_FROM_BYTES = 16 * 1024;

/**
 * Writes the stream to a file that must not be there yet, not synced. `onBytes` hears how many bytes came so far, before
 * they are written, and may throw to end it. The stream's chunks are used up: nobody else may keep them.
 */
export async function writeStream(
  stream: AsyncIterable<Buffer>,
  path: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
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

/** A disk that is nearly full takes a part without a word; writing the rest is what tells. */
async function writeAll(file: FileHandle, chunks: readonly Buffer[]): Promise<void> {
  const { bytesWritten } = await file.writev(chunks);
  if (bytesWritten < bytesOf(chunks)) {
    await file.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
  }
}

/**
 * Gives the memory of a chunk back now. V8 looks through its whole heap for every 32 MiB or so of new buffers, which was
 * half the time of a large upload. Only where the chunk is all of its memory, so that it is nobody else's too.
 */
function free(chunk: Buffer): void {
  const { buffer } = chunk;
  if (chunk.length < OWN_FROM_BYTES || buffer.byteLength !== chunk.length) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

function bytesOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}
