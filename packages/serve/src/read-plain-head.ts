// Reads the head of the plainest request there is. Whatever is not exactly that is null here, and Node's to judge.
import { isHost } from './require-host.ts';

/** A GET over HTTP/1.1 without a body, on a connection that stays open. */
export type PlainRequest = {
  /** The address as it came: begins with `/`, visible ASCII. */
  readonly url: string;
  /** Values without the spaces around them, under names in lower case. Each name came once. */
  readonly headers: ReadonlyMap<string, string>;
};

/** Node takes 16 KiB; what is half as long is unusual enough to be left to it. */
const MOST_BYTES = 8 * 1024;
const HEAD = /^GET (\/[!-~]*) HTTP\/1\.1\r\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~]*\r\n)*)\r\n$/;
/** A body, another protocol, an interim answer: these change how the bytes after the head are read. */
const NOT_PLAIN = ['content-length', 'transfer-encoding', 'upgrade', 'expect'];

/** The request that the bytes are, from their first to their last; null where they are anything else, or more. */
export function readPlainHead(bytes: Buffer): PlainRequest | null {
  if (bytes.length > MOST_BYTES) return null;
  const [, url, lines] = HEAD.exec(bytes.toString('latin1')) ?? [];
  if (url === undefined || lines === undefined) return null;
  const headers = readHeaders(lines);
  return headers === null || isMore(headers) ? null : { url, headers };
}

function readHeaders(lines: string): Map<string, string> | null {
  const headers = new Map<string, string>();
  for (let start = 0; start < lines.length; ) {
    const colon = lines.indexOf(':', start);
    const end = lines.indexOf('\r\n', colon);
    const name = lines.slice(start, colon).toLowerCase();
    if (headers.has(name)) return null;
    headers.set(name, lines.slice(colon + 1, end).trim());
    start = end + 2;
  }
  return headers;
}

function isMore(headers: ReadonlyMap<string, string>): boolean {
  if (!isHost(headers.get('host') ?? '')) return true;
  const connection = headers.get('connection');
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return true;
  return NOT_PLAIN.some((name) => headers.has(name));
}
