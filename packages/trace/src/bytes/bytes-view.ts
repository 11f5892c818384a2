// Compares bytes four at a time: several times faster than one by one, and the hot loop of the folded reader.

/** A byte array with a DataView on the same bytes, made once an array. */
export class BytesView {
  bytes: Uint8Array = new Uint8Array(0);
  view = new DataView(this.bytes.buffer);

  /** Looks at `bytes` from now on. */
  on(bytes: Uint8Array): this {
    if (bytes === this.bytes) return this;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return this;
  }
}

/** How many bytes are the same from `atA` in `a` and `atB` in `b` on, at most `length`, which both must have. */
export function sameBytes(
  a: BytesView,
  atA: number,
  b: BytesView,
  atB: number,
  length: number,
): number {
  const viewA = a.view;
  const viewB = b.view;
  let i = 0;
  while (i + 4 <= length && viewA.getInt32(atA + i) === viewB.getInt32(atB + i)) i += 4;
  while (i < length && viewA.getUint8(atA + i) === viewB.getUint8(atB + i)) i++;
  return i;
}
