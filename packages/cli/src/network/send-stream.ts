// Sends a streamed body piece by piece, and stops where the answer comes early.
import type { ClientRequest, IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** The request's own body could not be read: no fault of the network. The reason is its `cause`. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
}

const PIECE_BYTES = 64 * 1024;
const CLOSE_BODY_MS = 1000;

/** What is waited for: the body's next piece, or the server that takes it. Only the server is held to a limit. */
export type Turns = { readonly reading: () => void; readonly sending: () => void };

/** Sends the stream piece by piece, until its end or an early answer. Returns how many bytes were taken. */
export async function sendStream(
  request: ClientRequest,
  body: ReadableStream<Uint8Array>,
  answered: Promise<IncomingMessage>,
  { reading, sending }: Turns,
): Promise<number> {
  const chunks = body[Symbol.asyncIterator]();
  const early = answered.then(() => 'answered' as const);
  early.catch(() => {});
  let bytes = 0;
  try {
    for (;;) {
      reading();
      const next = await Promise.race([readNext(chunks), early]);
      sending();
      if (next === 'answered' || next.done === true) return bytes;
      for (let at = 0; at < next.value.length; at += PIECE_BYTES) {
        const piece = next.value.subarray(at, at + PIECE_BYTES);
        if ((await Promise.race([write(request, piece), early])) === 'answered') return bytes;
        bytes += piece.length;
        sending();
      }
    }
  } finally {
    await closeBody(chunks);
  }
}

function readNext(chunks: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  const next = chunks.next().catch((cause: unknown) => {
    throw new BodyError('The body of the request cannot be read', { cause });
  });
  // An early answer leaves it behind; then its failure must not count as unhandled.
  next.catch(() => {});
  return next;
}

/** Closes the file that the stream reads from. A read that hangs is not waited for. */
async function closeBody(chunks: AsyncIterator<Uint8Array>): Promise<void> {
  const closed = chunks.return?.().catch(() => {});
  const enough = new AbortController();
  const late = pause(CLOSE_BODY_MS, null, { signal: enough.signal }).catch(() => {});
  await Promise.race([closed, late]);
  enough.abort();
}

/** Resolves when the piece has left for the network. A failed write rejects the answer's promise instead. */
function write(request: ClientRequest, piece: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    request.write(piece, (error) => {
      if (error === null || error === undefined) resolve();
    });
  });
}
