// Sends a kept file as an answer, from its descriptor, no faster than the client takes it.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { OpenFile } from '../files/file-store.ts';

const CHUNK_BYTES = 256 * 1024;

/** Bytes of an open file from `start`, `length` of them, as a stream. Closes the file at the end, however it comes. */
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
      if (read === 0) throw new Error('Cannot send a file: it has become shorter');
      position += read;
      yield buffer.subarray(0, read);
    }
  } finally {
    await file.close();
  }
}

/** Answers with the whole file; HEAD with its headers alone, and nothing is read. */
export function sendFile(
  reply: FastifyReply,
  file: OpenFile,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  const wanted = reply.request.method === 'HEAD' ? 0 : file.bytes;
  return reply
    .headers({ ...headers, 'content-length': String(file.bytes) })
    .send(Readable.from(readChunks(file, 0, wanted), { objectMode: false }));
}
