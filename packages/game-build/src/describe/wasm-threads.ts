// Detects WebAssembly modules with shared memory (threads) by their first sections.
// https://webassembly.github.io/spec/core/binary/modules.html; the shared flag is bit 1 of a memory's limits.

const IMPORT_SECTION = 2;
const MEMORY_SECTION = 5;
const SHARED = 0x02;

/** Whether the module declares shared memory. Also false if the module is cut off before the declaration. */
export function asksForSharedMemory(head: Buffer): boolean {
  try {
    return findSharedMemory(new Cursor(head, 8));
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function findSharedMemory(cursor: Cursor): boolean {
  for (;;) {
    const id = cursor.byte();
    const length = cursor.number();
    const end = cursor.at + length;
    if (id === IMPORT_SECTION && importsSharedMemory(cursor)) return true;
    if (id === MEMORY_SECTION) return cursor.number() > 0 && (cursor.byte() & SHARED) !== 0;
    if (id > MEMORY_SECTION) return false;
    cursor.at = end;
  }
}

function importsSharedMemory(cursor: Cursor): boolean {
  for (let left = cursor.number(); left > 0; left--) {
    cursor.skipName();
    cursor.skipName();
    const kind = cursor.byte();
    if (kind === 0) cursor.number();
    else if (kind === 1) {
      cursor.byte();
      cursor.limits();
    } else if (kind === 2) {
      if ((cursor.limits() & SHARED) !== 0) return true;
    } else if (kind === 3) cursor.at += 2;
    else if (kind === 4) {
      cursor.byte();
      cursor.number();
    } else return false;
  }
  return false;
}

/** Reads forward. Throws a `RangeError` at the end. */
class Cursor {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.at++);
  }

  /** An unsigned LEB128 number of at most 53 bits. */
  number(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 50; scale *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new RangeError('Cannot read a LEB128 number: too long');
  }

  skipName(): void {
    const length = this.number();
    this.at += length;
  }

  /** Skips the limits of a memory or table and returns their flags. */
  limits(): number {
    const flags = this.byte();
    this.number();
    if ((flags & 1) !== 0) this.number();
    return flags;
  }
}
