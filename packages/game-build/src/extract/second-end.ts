// Looks for a second end in stored data whose length only a descriptor after the data has. A reader from the front takes the
// first matching descriptor for the end, and reads the following bytes as entries.
import { crc32 } from 'node:zlib';

const DESCRIPTOR = 0x08074b50;
/** A local and a central header. One of them follows a descriptor without a signature. */
const HEADERS = [0x04034b50, 0x02014b50];
const SIGNATURES_BEGIN = Buffer.from('PK');

/** The bytes checked from a signature on: CRC-32 and compressed size. */
const AHEAD_BYTES = 12;
/** The bytes checked before a signature: the longest descriptor without a signature. */
const BEHIND_BYTES = 20;

/** Takes an entry's data in chunks. A nested archive has other sizes in its descriptors and is not a second end. */
export class SecondEnd {
  /** The last bytes of the previous chunks, for signatures that span two chunks. */
  #kept = Buffer.alloc(0);
  #taken = 0;
  /** The search continues at this byte. The CRC-32 covers the bytes before it. */
  #next = 0;
  #crc = 0;

  /** Whether the data so far contains a possible end. */
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

/** The 32-bit value of a length, or the lower half of its 64 bits. */
function low(length: number): number {
  return length >>> 0;
}
