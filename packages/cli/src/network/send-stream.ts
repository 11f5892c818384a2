// Sends a streamed body in pieces. Stops if the response arrives before the end.
import type { ClientRequest, IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** Reading the request's body failed, which is not a network error. The reason is in `cause`. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
}

const PIECE_BYTES = 64 * 1024;
const CLOSE_BODY_MS = 1000;

/** Called before each wait: for the body's next piece, or for the server to accept it. Only the server has a time limit. */
export type Turns = { readonly reading: () => void; readonly sending: () => void };

/** Sends the stream until its end or an early response. Returns the number of bytes sent. Throws {@link BodyError}. */
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
  // After an early response this promise is not awaited. A rejection must not count as unhandled then.
  next.catch(() => {});
  return next;
}

/** Closes the file that the stream reads. Waits at most `CLOSE_BODY_MS` for a pending read. */
async function closeBody(chunks: AsyncIterator<Uint8Array>): Promise<void> {
  const closed = chunks.return?.().catch(() => {});
  const enough = new AbortController();
  const late = pause(CLOSE_BODY_MS, null, { signal: enough.signal }).catch(() => {});
  await Promise.race([closed, late]);
  enough.abort();
}

/** Resolves when the piece has been written to the socket. A failed write rejects the promise of the response instead. */
function write(request: ClientRequest, piece: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    request.write(piece, (error) => {
      if (error === null || error === undefined) resolve();
    });
  });
}
