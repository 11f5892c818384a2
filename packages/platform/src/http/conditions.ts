// What a request asks of a file: an encoding, only a change, only a part. Pure readings of header texts (RFC 9110).

/** How much a client likes each coding, 0 for not at all. `identity`, the plain form, is 0 where it is not named. */
export type Codings = { readonly br: number; readonly gzip: number; readonly identity: number };

const NONE: Codings = { br: 0, gzip: 0, identity: 0 };
const remembered = new Map<string, Codings>();
const REMEMBERED = 64;

/** Reads Accept-Encoding (RFC 9110, §12.5.3). What browsers send is remembered, being the same few texts. */
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

/** Whether If-None-Match names the tag (compared weakly, §8.8.3.2), or is `*`. */
export function isUnchanged(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => (tag.startsWith('W/') ? tag.slice(2) : tag) === etag);
}

/** A part of a file: `start` and `length` in bytes, `whole` where no single part is asked for, `outside` for 416. */
export type Part =
  | { readonly kind: 'whole' }
  | { readonly kind: 'outside' }
  | { readonly kind: 'part'; readonly start: number; readonly length: number };

const WHOLE: Part = { kind: 'whole' };

/** Reads Range and If-Range against a file of so many bytes. Several ranges, other units and nonsense are the whole. */
export function readRange(
  range: string | undefined,
  ifRange: string | undefined,
  etag: string,
  bytes: number,
): Part {
  if (range === undefined) return WHOLE;
  // If-Range compares strongly, and a date never holds: no date is sent.
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
