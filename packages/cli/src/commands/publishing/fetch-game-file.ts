// Fetches a file of a published game as a browser does. Distinguishes faults of the game from faults of this machine's network.

import { setTimeout as pause } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { messageOf } from '@svc/contracts/caught';
import type { Network } from '../../network/network.ts';
import { NetworkError } from '../../network/network-error.ts';

/** A file to request. */
export type GameFile = {
  readonly url: string;
  /** The value of the header Range, to request a part of the file. */
  readonly range?: string;
};

/** The network for the requests, and the signal that aborts them. */
export type Visit = { readonly network: Network; readonly signal: AbortSignal };

/** A fault that a player's browser would meet, too. The message follows the address of the file. */
export class GameFaultError extends Error {
  override readonly name = 'GameFaultError';
}

/** More redirects count as a loop. */
const MOST_REDIRECTS = 10;
/** The platform's limits allow no larger file. */
const ANSWER_BYTES = 1024 * 1024 * 1024;
/** More than a correct response to a range has, so that no whole file is downloaded. */
const RANGE_ANSWER_BYTES = 64 * 1024;
/** The wait before the second attempt. */
const RETRY_MS = 1000;

/**
 * Fetches the file, with a second attempt after a transient failure. Throws a {@link GameFaultError}, a {@link NetworkError} if
 * this machine cannot reach the game, or the signal's reason.
 */
export async function fetchGameFile(file: GameFile, visit: Visit): Promise<Response> {
  try {
    return await follow(file, visit);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    if (error.code === 'answer_unreadable') throw unreadable(error, file);
    if (!error.transient) throw error;
  }
  await pause(RETRY_MS, null, { signal: visit.signal });
  return await follow(file, visit);
}

function unreadable({ message }: NetworkError, { range }: GameFile): GameFaultError {
  const reason = message.replace(/\.$/, '');
  return new GameFaultError(
    range === undefined
      ? reason
      : `the response is not the requested range, so Safari cannot play it (${reason})`,
  );
}

/** Sends the request as a browser does: accepts compressed content and follows redirects. */
async function follow({ url, range }: GameFile, { network, signal }: Visit): Promise<Response> {
  let address = url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    // Browsers accept Brotli only over TLS and from this machine.
    const accepted = address.startsWith('https:') ? 'br, gzip, deflate' : 'gzip, deflate';
    const answer = await network.send(
      address,
      {
        headers: { 'accept-encoding': accepted, ...(range === undefined ? {} : { range }) },
        signal,
      },
      { answer_bytes: range === undefined ? ANSWER_BYTES : RANGE_ANSWER_BYTES },
    );
    const location = answer.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(answer.status) || location === null) return answer;
    if (!URL.canParse(location, address)) return answer;
    address = new URL(location, address).href;
  }
  throw new GameFaultError('it redirects in a loop');
}

/** Removes the content encodings of the body. Throws a {@link GameFaultError} if the body cannot be decoded. */
export async function decodeBody(answer: Response): Promise<Uint8Array> {
  let body: Uint8Array = new Uint8Array(await answer.arrayBuffer());
  const encodings = (answer.headers.get('content-encoding') ?? '').toLowerCase().split(',');
  for (const encoding of encodings.map((one) => one.trim()).reverse()) {
    body = decode(encoding, body);
  }
  return body;
}

function decode(encoding: string, body: Uint8Array): Uint8Array {
  const limits = { maxOutputLength: ANSWER_BYTES };
  try {
    if (encoding === 'br') return brotliDecompressSync(body, limits);
    if (encoding === 'gzip' || encoding === 'x-gzip') return gunzipSync(body, limits);
    if (encoding === 'deflate') return inflateSync(body, limits);
    return body;
  } catch (error) {
    const reason = messageOf(error);
    throw new GameFaultError(
      `its Content-Encoding is ${encoding}, but it cannot be decoded (${reason})`,
    );
  }
}
