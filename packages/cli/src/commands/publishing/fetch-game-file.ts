// Fetches one file of a published game as a browser does, and tells a fault of the game from one of this machine's network.
import { setTimeout as pause } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Network } from '../../network/network.ts';
import { NetworkError } from '../../network/network-error.ts';

/** A file to ask for. */
export type GameFile = {
  readonly url: string;
  /** The value of the header Range, where a part is asked for. */
  readonly range?: string;
};

/** How the files are asked for; the signal ends it. */
export type Visit = { readonly network: Network; readonly signal: AbortSignal };

/** What a player's browser would stumble over, too. The message continues the file's address. */
export class GameFaultError extends Error {
  override readonly name = 'GameFaultError';
}

/** More redirects than these are a loop. */
const MOST_REDIRECTS = 10;
/** A file of a build is never larger; see the platform's limits. */
const ANSWER_BYTES = 1024 * 1024 * 1024;
/** More than any right answer to a range has, so that a whole file is not downloaded. */
const RANGE_ANSWER_BYTES = 64 * 1024;
/** Until a file that could not be reached is asked for once more. */
const RETRY_MS = 1000;

/**
 * The answer for the file, asked for once more where the first try failed for a moment. Throws a {@link GameFaultError}, a
 * {@link NetworkError} where the game cannot be reached from here, or the signal's reason.
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
      : `it does not answer with the range that was asked for, so Safari cannot play it (${reason})`,
  );
}

/** Asks as a browser does: compressed, and at the address that a redirect leads to. */
async function follow({ url, range }: GameFile, { network, signal }: Visit): Promise<Response> {
  let address = url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    // Browsers take Brotli over TLS and from this machine only.
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
  throw new GameFaultError('it redirects without an end');
}

/** The body without the encodings that were made for the transfer. Throws a {@link GameFaultError} where it has another one. */
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
    const reason = error instanceof Error ? error.message : String(error);
    throw new GameFaultError(
      `its Content-Encoding is ${encoding}, but it cannot be decoded (${reason})`,
    );
  }
}
