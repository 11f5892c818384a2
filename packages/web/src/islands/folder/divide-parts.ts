// Divides the contents of an upload, which follow each other, into parts of one size.

/** A range of bytes of the content with this index. */
export type Piece = { readonly index: number; readonly start: number; readonly end: number };

export type Division = {
  /** Bytes of all contents together. */
  readonly bytes: number;
  /** The pieces of a part, in order. Empty contents have none. */
  piecesOf(part: number): Piece[];
};

/** `sizes` are the bytes of the contents, in order. All parts have `partBytes` bytes; only the last one is shorter. */
export function divideParts(sizes: readonly number[], partBytes: number): Division {
  const begins: number[] = [];
  let bytes = 0;
  for (const size of sizes) {
    begins.push(bytes);
    bytes += size;
  }
  return {
    bytes,
    piecesOf(part) {
      const from = part * partBytes;
      const to = Math.min(bytes, from + partBytes);
      const pieces: Piece[] = [];
      for (let index = lastBefore(begins, from); index < sizes.length; index++) {
        const begin = begins[index] ?? bytes;
        if (begin >= to) break;
        const start = Math.max(0, from - begin);
        const end = Math.min(sizes[index] ?? 0, to - begin);
        if (start < end) pieces.push({ index, start, end });
      }
      return pieces;
    },
  };
}

/** The index of the last content that begins before `position`; 0 if there is none. */
function lastBefore(begins: readonly number[], position: number): number {
  let low = 0;
  let high = begins.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((begins[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
