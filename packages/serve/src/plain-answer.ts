// Whole answers as bytes, made once and sent often: only the date and the request's id are written into them each time.
import type { Socket } from 'node:net';
import { STATUS_CODES } from './http-words.ts';
import { REQUEST_ID_CHARACTERS } from './request-ids.ts';

/** How long a connection may wait for its next request. */
export const KEEP_ALIVE_MS = 72_000;

const DATE_CHARACTERS = 'Sat, 21 Nov 2026 00:00:00 GMT'.length;
const ID_LINE = '\r\nX-Request-Id: ';
const STAMP_CHARACTERS = DATE_CHARACTERS + ID_LINE.length + REQUEST_ID_CHARACTERS;
/** Up to here a body stands in one block with its head, which is one write; it is copied where a client is slow. */
const JOINED_BYTES = 64 * 1024;

/** An answer that keeps its connection open. */
export type PlainAnswer = {
  /** The head, and the body where it is small. Never changed while a socket still needs it. */
  block: Buffer;
  /** Where in the block date and id are written. */
  readonly stampAt: number;
  /** A body that is not in the block. */
  readonly body: Buffer | null;
};

/**
 * Makes an answer from names and values in turn, and the body. Headers that belong to the connection (`Date`,
 * `Connection`, `Keep-Alive`) and `X-Request-Id` are added. The texts are trusted: they are not checked for line ends.
 */
export function makePlainAnswer(
  status: 200 | 304,
  headers: readonly string[],
  body: Buffer | null,
): PlainAnswer {
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: `;
  let head = `${start}${' '.repeat(STAMP_CHARACTERS)}\r\n`;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  }
  head += `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1000}\r\n\r\n`;
  const bytes = Buffer.from(head, 'latin1');
  const joined = body !== null && body.length <= JOINED_BYTES;
  return {
    block: joined ? Buffer.concat([bytes, body]) : bytes,
    stampAt: start.length,
    body: joined ? null : body,
  };
}

/** Bytes that the answer holds. */
export function plainAnswerBytes({ block, body }: PlainAnswer): number {
  return block.length + (body?.length ?? 0);
}

/** Sends an answer. False where the client is slow: then nothing more should be sent before the socket drains. */
export function sendPlainAnswer(socket: Socket, answer: PlainAnswer, requestId: string): boolean {
  answer.block.write(`${dateNow()}${ID_LINE}${requestId}`, answer.stampAt, 'latin1');
  let hasRoom: boolean;
  if (answer.body === null) hasRoom = socket.write(answer.block);
  else {
    socket.cork();
    socket.write(answer.block);
    hasRoom = socket.write(answer.body);
    socket.uncork();
  }
  // Not all of it was taken at once, so the socket still reads from the block: it may have it.
  if (socket.writableLength > 0) answer.block = Buffer.from(answer.block);
  return hasRoom;
}

let dateSecond = 0;
let date = '';

/** The time as HTTP writes it (RFC 9110, 5.6.7). */
function dateNow(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = new Date(second * 1000).toUTCString();
  }
  return date;
}
