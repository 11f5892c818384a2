// Sends a stored file at the client's speed.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { OpenFile } from '../files/file-store.ts';

const CHUNK_BYTES = 256 * 1024;

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

/** Answers with the whole file. For HEAD it sends only the headers and reads nothing. */
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
