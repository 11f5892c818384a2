// Parses the request headers for encodings, conditions and ranges (RFC 9110).

/** The client's weight for each coding, from 0 (rejected) to 1. `identity`, the unencoded form, is 0 if it is not named. */
export type Codings = { readonly br: number; readonly gzip: number; readonly identity: number };

const NONE: Codings = { br: 0, gzip: 0, identity: 0 };
const remembered = new Map<string, Codings>();
const REMEMBERED = 64;

/** Parses Accept-Encoding (RFC 9110, §12.5.3). Caches the result, because browsers send the same few values. */
export function readCodings(header: string | undefined): Codings {
  if (header === undefined || header === '') return NONE;
  const known = remembered.get(header);
  if (known !== undefined) return known;
  const codings = parseCodings(header);
  if (remembered.size < REMEMBERED) remembered.set(header, codings);
  return codings;
}

function parseCodings(header: string): Codings {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const quality = parameters.find((text) => text.startsWith('q='))?.slice(2);
    const weight = quality === undefined ? 1 : Number(quality);
    weights.set(name === 'x-gzip' ? 'gzip' : name, Number.isFinite(weight) ? weight : 0);
  }
  const any = weights.get('*') ?? 0;
  const identity = weights.get('identity') ?? 0;
  return { br: weights.get('br') ?? any, gzip: weights.get('gzip') ?? any, identity };
}

/** Returns whether If-None-Match contains the tag (weak comparison, §8.8.3.2) or is `*`. */
export function isUnchanged(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => (tag.startsWith('W/') ? tag.slice(2) : tag) === etag);
}

/** The requested part of a file, in bytes. `whole` if there is no single valid range, `outside` for 416. */
export type Part =
  | { readonly kind: 'whole' }
  | { readonly kind: 'outside' }
  | { readonly kind: 'part'; readonly start: number; readonly length: number };

const WHOLE: Part = { kind: 'whole' };

/** Parses Range and If-Range for a file of this size. Several ranges, other units and invalid ranges mean the whole file. */
export function readRange(
  range: string | undefined,
  ifRange: string | undefined,
  etag: string,
  bytes: number,
): Part {
  if (range === undefined) return WHOLE;
  // If-Range uses the strong comparison. A date never matches, because the server sends none.
  if (ifRange !== undefined && ifRange.trim() !== etag) return WHOLE;
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(range.trim()) ?? [];
  if (first === '' && last === '') return WHOLE;
  if (first === '') return suffix(Number(last), bytes);
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== '' && Number(last) < start) return WHOLE;
  return start >= bytes ? { kind: 'outside' } : { kind: 'part', start, length: end - start + 1 };
}

function suffix(wanted: number, bytes: number): Part {
  if (wanted === 0 || bytes === 0) return { kind: 'outside' };
  const length = Math.min(wanted, bytes);
  return { kind: 'part', start: bytes - length, length };
}
