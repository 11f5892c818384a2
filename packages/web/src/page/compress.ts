// Compresses pages, feeds and sitemaps for visitors who are not signed in.
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, type Encoding } from '../assets/choose-encoding.ts';
import { holdsOwnCookie } from '../session/session-cookie.ts';

/** A smaller response fits into one packet without compression. */
const SMALLEST_BYTES = 1024;
/** Takes half a millisecond for a page of 50 kB. Higher levels cost more time than they save. */
const BROTLI_QUALITY = 5;
const TEXTS = new Set([
  ...['text/html', 'text/plain', 'application/xml', 'application/rss+xml', 'application/atom+xml'],
]);

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/**
 * Compresses the payload with the encoding that the client prefers. A page for a signed-in user is not compressed: it
 * contains the user's data beside text that an attacker can choose (a search, an address), and the length of many such
 * compressed responses would reveal the data (BREACH attack).
 */
export async function compressText(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const [type = ''] = String(reply.getHeader('content-type')).split(';');
  const isText = TEXTS.has(type);
  if (!isRead || !isText || typeof payload !== 'string') return payload;
  const { cookie, 'accept-encoding': accepted } = request.headers;
  reply.header('vary', addWord(reply.getHeader('vary'), 'Accept-Encoding'));
  const encoding = chooseEncoding(accepted);
  const tooSmall = Buffer.byteLength(payload) < SMALLEST_BYTES;
  if (encoding === null || tooSmall || holdsOwnCookie(cookie)) return payload;
  reply.header('content-encoding', encoding);
  return compress(encoding, payload);
}

function compress(encoding: Encoding, text: string): Promise<Buffer> {
  if (encoding === 'gzip') return gzip(text);
  const params = {
    [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [zlib.constants.BROTLI_PARAM_MODE]: zlib.constants.BROTLI_MODE_TEXT,
  };
  return brotli(text, { params });
}

function addWord(list: unknown, word: string): string {
  return list === undefined ? word : `${String(list)}, ${word}`;
}
