// Finds the first invalid byte of UTF-8. Slow path: it gives an error its column and distinguishes cut text from invalid text.

/**
 * The offset of the first invalid byte of UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF), or −1.
 * A sequence that is cut off by the end is invalid at its first byte, unless `cut` is `allow`.
 */
export function findInvalidUtf8(bytes: Uint8Array, cut: 'reject' | 'allow'): number {
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) {
      at++;
      continue;
    }
    const length = sequenceLength(lead);
    if (length === 0) return at;
    for (let i = 1; i < length; i++) {
      const next = bytes[at + i];
      if (next === undefined) return cut === 'allow' ? -1 : at;
      const [low, high] = i === 1 ? secondByteRange(lead) : [0x80, 0xbf];
      if (next < low || next > high) return at;
    }
    at += length;
  }
  return -1;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

function secondByteRange(lead: number): readonly [number, number] {
  if (lead === 0xe0) return [0xa0, 0xbf];
  if (lead === 0xed) return [0x80, 0x9f];
  if (lead === 0xf0) return [0x90, 0xbf];
  return lead === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf];
}

/** The length of a string in bytes of UTF-8, computed without encoding it. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes++;
    else if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 2;
      i++;
    } else bytes += 2;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
