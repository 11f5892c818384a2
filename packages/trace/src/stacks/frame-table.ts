// Frames by id, interned by their bytes in a hash table with linear probing. Names are decoded on demand.
import { BytesView, sameBytes } from '../bytes/bytes-view.ts';
import { Int32List } from '../bytes/growable.ts';
import { hashBytes } from '../bytes/hash-bytes.ts';
import { TraceError } from '../format/errors.ts';

/**
 * The kinds of frames. A frame whose text ends in `_[k]`, `_[j]`, `_[i]`, `_[w]`, `_[S]`, `_[W]`, `_[G]` or `_[M]` has one of
 * them, in this order. Other frames have ''. A frame of the kind `main` is the root of the stacks of a thread whose work
 * delays a frame, such as a page's main thread.
 */
export const FRAME_CATEGORIES = [
  '',
  'kernel',
  'jit',
  'inlined',
  'waker',
  'js',
  'wasm',
  'gc',
  'main',
] as const;
export type FrameCategory = (typeof FRAME_CATEGORIES)[number];
const CATEGORY_WORDS: readonly string[] = FRAME_CATEGORIES;
const SUFFIX_LETTERS = ' kjiwSWGM';
const SUFFIX_BYTES = 4;
const ARENA_BYTES = 2 ** 31 - 1;

/** The suffix of a folded frame of a category, or '' for no category and for unknown words. */
export function suffixOf(category: string): string {
  const code = CATEGORY_WORDS.indexOf(category);
  return code > 0 ? `_[${SUFFIX_LETTERS[code]}]` : '';
}

/** The category of a folded frame by its last bytes, as an index of FRAME_CATEGORIES. */
export function categoryOfBytes(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 4 || bytes[end - 1] !== 93 || bytes[end - 3] !== 91 || bytes[end - 4] !== 95) {
    return 0;
  }
  const code = SUFFIX_LETTERS.indexOf(String.fromCharCode(bytes[end - 2] ?? 0));
  return Math.max(0, code);
}

/**
 * The frames of a finished tree by id, read only. Its two arrays can be sent to another thread: `arena` has the bytes of all
 * frames one after another, `ends` the end of each.
 */
export class FrameNames {
  readonly arena: Uint8Array<ArrayBuffer>;
  readonly ends: Int32Array<ArrayBuffer>;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(arena: Uint8Array<ArrayBuffer>, ends: Int32Array<ArrayBuffer>) {
    this.arena = arena;
    this.ends = ends;
  }

  get length(): number {
    return this.ends.length;
  }

  /** A frame's name without its category suffix. */
  name(id: number): string {
    const cut = this.categoryCode(id) === 0 ? 0 : SUFFIX_BYTES;
    return this.#decoder.decode(this.arena.subarray(this.#start(id), this.#end(id) - cut));
  }

  /** The frame as in a folded file, with its suffix. */
  text(id: number): string {
    return this.#decoder.decode(this.arena.subarray(this.#start(id), this.#end(id)));
  }

  /** An index of FRAME_CATEGORIES. */
  categoryCode(id: number): number {
    return categoryOfBytes(this.arena, this.#start(id), this.#end(id));
  }

  category(id: number): FrameCategory {
    return FRAME_CATEGORIES[this.categoryCode(id)] ?? '';
  }

  #start(id: number): number {
    return id === 0 ? 0 : this.#end(id - 1);
  }

  #end(id: number): number {
    return this.ends[id] ?? 0;
  }
}

/** Interns frames. A frame is its bytes as in a folded file, with the suffix; equal bytes are the same frame. */
export class FrameTable {
  #arena: Uint8Array<ArrayBuffer> = new Uint8Array(1 << 16);
  #used = 0;
  readonly #ends = new Int32List();
  readonly #hashes = new Int32List();
  #slots = new Int32Array(1 << 12);
  readonly #stored = new BytesView();
  readonly #other = new BytesView();

  get length(): number {
    return this.#ends.length;
  }

  /** A copy of the frames so far. */
  names(): FrameNames {
    return new FrameNames(this.#arena.slice(0, this.#used), this.#ends.trimmed());
  }

  /** The id of a frame: 0, 1, … in order of first appearance. `hash` must be the `hashBytes` of the frame. */
  intern(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const slot = this.#slotOf(bytes, start, end, hash);
    const id = (this.#slots[slot] ?? 0) - 1;
    return id < 0 ? this.#insert(bytes, start, end, hash, slot) : id;
  }

  /** The id of a text that is interned, or −1. */
  findText(text: string): number {
    const bytes = new TextEncoder().encode(text);
    const hash = hashBytes(bytes, 0, bytes.length);
    return (this.#slots[this.#slotOf(bytes, 0, bytes.length, hash)] ?? 0) - 1;
  }

  /** The slot of a frame, or the free slot where it belongs. */
  #slotOf(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const id = (this.#slots[slot] ?? 0) - 1;
      if (id < 0) return slot;
      if (this.#hashes.values[id] === hash && this.#equals(id, bytes, start, end)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  internText(text: string): number {
    const bytes = new TextEncoder().encode(text);
    return this.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
  }

  #equals(id: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = id === 0 ? 0 : (this.#ends.values[id - 1] ?? 0);
    const length = end - start;
    if ((this.#ends.values[id] ?? 0) - from !== length) return false;
    const stored = this.#stored.on(this.#arena);
    return sameBytes(stored, from, this.#other.on(bytes), start, length) === length;
  }

  #insert(bytes: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const id = this.#ends.length;
    const used = this.#used + end - start;
    if (used > ARENA_BYTES) {
      throw new TraceError(
        'too_large',
        `Cannot store more than ${ARENA_BYTES} bytes of names`,
        1,
        1,
      );
    }
    if (used > this.#arena.length) {
      const grown = new Uint8Array(Math.min(ARENA_BYTES, Math.max(used, this.#arena.length * 2)));
      grown.set(this.#arena);
      this.#arena = grown;
    }
    this.#arena.set(bytes.subarray(start, end), this.#used);
    this.#used = used;
    this.#ends.push(used);
    this.#hashes.push(hash);
    this.#slots[slot] = id + 1;
    if ((id + 1) * 2 > this.#slots.length) this.#rehash();
    return id;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let id = 0; id < this.#hashes.length; id++) {
      let slot = (this.#hashes.values[id] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.#slots = slots;
  }
}
