// Splits a stack at its semicolons and hashes its frames, four bytes at a time. Leading frames that are the same as in the
// previous stack are not scanned again. The hot loop of all readers of folded stacks.
import { BytesView, sameBytes } from '../bytes/bytes-view.ts';
import { Int32List } from '../bytes/growable.ts';
import { HASH_FACTOR, HASH_START, mix } from '../bytes/hash-bytes.ts';

const SEMICOLON = 59;
/** A byte repeated four times, to test four bytes at once. */
const ONES = 0x01010101;
const SEMICOLONS = ONES * SEMICOLON;
const HIGH_BITS = 0x80808080 | 0;

/** The frames of the last stack. Frame `i` is the bytes from `starts[i]` to `ends[i]`, relative to the start of the stack. */
export class FrameSplitter {
  readonly #starts = new Int32List();
  readonly #ends = new Int32List();
  readonly #hashes = new Int32List();
  /** The number of frames, and the number of leading frames that are the same as in the previous stack. */
  frames = 0;
  shared = 0;
  /** The length of the longest new frame in bytes. */
  longest = 0;
  /** False if a new frame contains NUL or a byte that is not ASCII. */
  isAscii = true;
  #previous: Uint8Array = new Uint8Array(0);
  #previousStart = 0;
  #previousLength = 0;
  #previousFrames = 0;
  readonly #view = new BytesView();
  readonly #previousView = new BytesView();

  get starts(): Int32Array {
    return this.#starts.values;
  }

  get ends(): Int32Array {
    return this.#ends.values;
  }

  /** `hashBytes` of each frame. */
  get hashes(): Int32Array {
    return this.#hashes.values;
  }

  /** Splits `bytes[start..end)`. This replaces the previous frames, so call `keep` or `forget` afterwards. */
  split(bytes: Uint8Array, start: number, end: number): void {
    const view = this.#view.on(bytes).view;
    const factor = HASH_FACTOR | 0;
    const shared = this.#sharedFrames(bytes, start, end);
    let frames = shared;
    let longest = 0;
    let seen = 0;
    let from = shared === 0 ? start : start + (this.ends[shared - 1] ?? 0) + 1;
    while (from <= end) {
      let hash = HASH_START | 0;
      let rest = 0;
      let at = from;
      let found = 0;
      for (; at + 4 <= end; at += 4) {
        const word = view.getInt32(at, true);
        seen |= word | (word - ONES);
        const other = word ^ SEMICOLONS;
        found = (other - ONES) & ~other & HIGH_BITS;
        if (found !== 0) {
          const bits = 24 - Math.clz32(found & -found);
          rest = word & ((1 << bits) - 1);
          at += bits >>> 3;
          break;
        }
        hash = Math.imul(hash ^ word, factor);
        hash ^= hash >>> 15;
      }
      for (let shift = 0; found === 0 && at < end; at++, shift += 8) {
        const byte = bytes[at] ?? 0;
        if (byte === SEMICOLON) break;
        seen |= byte | (byte - 1);
        rest |= byte << shift;
      }
      hash = Math.imul(hash ^ rest, factor);
      if (at - from > longest) longest = at - from;
      this.#put(frames++, from - start, at - start, mix(hash ^ (hash >>> 15)));
      from = at + 1;
    }
    this.shared = shared;
    this.frames = frames;
    this.longest = longest;
    this.isAscii = (seen & HIGH_BITS) === 0;
  }

  /** Keeps a reference to the last stack. Its bytes must not change until the next `split` or `moveFrom`. */
  keep(bytes: Uint8Array, start: number, end: number): void {
    this.#previous = bytes;
    this.#previousStart = start;
    this.#previousLength = end - start;
    this.#previousFrames = this.frames;
  }

  /** Makes the next stack share no frames with this one. */
  forget(): void {
    this.#previousFrames = 0;
  }

  /** Copies the kept stack if it is in `chunk`, which is about to be overwritten. */
  moveFrom(chunk: Uint8Array): void {
    if (this.#previous !== chunk) return;
    const start = this.#previousStart;
    this.#previous = chunk.slice(start, start + this.#previousLength);
    this.#previousStart = 0;
  }

  /** The number of leading frames that are the same bytes as in the previous stack. */
  #sharedFrames(bytes: Uint8Array, start: number, end: number): number {
    if (this.#previousFrames === 0) return 0;
    const length = end - start;
    const same = sameBytes(
      this.#view.on(bytes),
      start,
      this.#previousView.on(this.#previous),
      this.#previousStart,
      Math.min(length, this.#previousLength),
    );
    let shared = this.#previousFrames;
    while (shared > 0 && (this.ends[shared - 1] ?? 0) > same) shared--;
    if (shared === 0 || (this.ends[shared - 1] ?? 0) < same) return shared;
    const endsHere = same === length || bytes[start + same] === SEMICOLON;
    const endedThere =
      same === this.#previousLength || this.#previous[this.#previousStart + same] === SEMICOLON;
    return endsHere && endedThere ? shared : shared - 1;
  }

  #put(index: number, start: number, end: number, hash: number): void {
    if (index >= this.#starts.values.length) {
      this.#starts.reserve(index + 1);
      this.#ends.reserve(index + 1);
      this.#hashes.reserve(index + 1);
    }
    this.#starts.values[index] = start;
    this.#ends.values[index] = end;
    this.#hashes.values[index] = hash;
  }
}
