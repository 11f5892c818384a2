// Compares bytes four at a time, which is several times faster than one at a time. Hot loop of the folded reader.

/** A byte array and a DataView of the same bytes. The view is created once per array. */
export class BytesView {
  bytes: Uint8Array = new Uint8Array(0);
  view = new DataView(this.bytes.buffer);

  /** Switches to `bytes`. */
  on(bytes: Uint8Array): this {
    if (bytes === this.bytes) return this;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return this;
  }
}

/** The length of the common prefix of `a` at `atA` and `b` at `atB`, at most `length`. Both must have `length` bytes. */
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
