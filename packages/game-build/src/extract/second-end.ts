// Looks for a second end in stored data whose length only the descriptor behind it tells: who reads such an archive from
// the front takes the first descriptor that fits for the end, and what follows it for entries.
import { crc32 } from 'node:zlib';

const DESCRIPTOR = 0x08074b50;
/** A local and a central header, one of which follows a descriptor without a signature. */
const HEADERS = [0x04034b50, 0x02014b50];
const SIGNATURES_BEGIN = Buffer.from('PK');

/** What is looked at behind a signature: CRC-32 and compressed size. */
const AHEAD_BYTES = 12;
/** What is looked at before one: the longest descriptor without a signature. */
const BEHIND_BYTES = 20;

/** Takes an entry's data chunk by chunk. An archive inside it has other sizes in its descriptors, and is no second end. */
export class SecondEnd {
  /** The last bytes that were taken, for signatures that stand across two chunks. */
  #kept = Buffer.alloc(0);
  #taken = 0;
  /** Before this byte no signature is looked for any more; the CRC-32 is of the bytes before it. */
  #next = 0;
  #crc = 0;

  /** True where the data could end within what has come. */
  isIn(chunk: Buffer): boolean {
    const window = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
    const start = this.#taken - this.#kept.length;
    this.#taken += chunk.length;
    const last = window.length - AHEAD_BYTES;
    let at = window.indexOf(SIGNATURES_BEGIN, this.#next - start);
    for (; at >= 0 && at <= last; at = window.indexOf(SIGNATURES_BEGIN, at + 1)) {
      if (this.#endsAt(at, window, start)) return true;
    }
    this.#moveTo(Math.max(this.#next, start + last + 1), window, start);
    this.#kept = Buffer.from(window.subarray(Math.max(0, this.#next - start - BEHIND_BYTES)));
    return false;
  }

  #moveTo(position: number, window: Buffer, start: number): void {
    this.#crc = crc32(window.subarray(this.#next - start, position - start), this.#crc);
    this.#next = position;
  }

  #endsAt(at: number, window: Buffer, start: number): boolean {
    const signature = window.readUInt32LE(at);
    if (signature === DESCRIPTOR) {
      if (window.readUInt32LE(at + 8) === low(start + at)) return true;
      this.#moveTo(start + at, window, start);
      return window.readUInt32LE(at + 4) === this.#crc;
    }
    if (!HEADERS.includes(signature)) return false;
    return [
      { descriptorBytes: 12, sizesAt: [8, 4] },
      { descriptorBytes: 20, sizesAt: [16, 8] },
    ].some(
      ({ descriptorBytes, sizesAt }) =>
        at >= descriptorBytes &&
        sizesAt.every(
          (back) => window.readUInt32LE(at - back) === low(start + at - descriptorBytes),
        ),
    );
  }
}

/** As the 32 bits of a descriptor, or the lower half of its 64, would have it. */
function low(length: number): number {
  return length >>> 0;
}
