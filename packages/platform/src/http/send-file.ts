// Sends a stored file at the client's speed.
import { Readable } from 'node:stream';
import { type OpenFile, readChunks } from '@svc/delivery';
import type { FastifyReply } from 'fastify';

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
