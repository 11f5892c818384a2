// Streams a range of a shared file and of the bytes that are inserted into it. Node's own stream
// would close the descriptor for all readers when one client disconnects.
import { read } from 'node:fs';
import { Readable } from 'node:stream';
import type { Insertion } from './added-notes.ts';
import type { FileLease } from './shared-file.ts';

const CHUNK_BYTES = 256 * 1024;
const NOTHING = new Uint8Array(0);

/**
 * Reads from `start` up to, but not including, `end`. Both are offsets in the file with its
 * insertion. The lease is released when nothing reads any more.
 */
export class RangeStream extends Readable {
  readonly #lease: FileLease;
  readonly #end: number;
  readonly #insertion: Insertion | null;
  #at: number;
  #reading = false;
  #idle: (() => void) | null = null;

  constructor(lease: FileLease, start: number, end: number, insertion: Insertion | null = null) {
    super({ highWaterMark: CHUNK_BYTES });
    this.#lease = lease;
    this.#at = start;
    this.#end = end;
    this.#insertion = insertion;
  }

  override _read(): void {
    const { at, bytes } = this.#insertion ?? { at: this.#end, bytes: NOTHING };
    const length = Math.min(CHUNK_BYTES, this.#end - this.#at);
    const inserted = this.#at - at;
    if (length <= 0) this.push(null);
    else if (inserted < 0) this.#readFile(this.#at, Math.min(length, -inserted));
    else if (inserted >= bytes.length) this.#readFile(this.#at - bytes.length, length);
    else {
      const chunk = bytes.subarray(inserted, inserted + length);
      this.#at += chunk.length;
      this.push(chunk);
    }
  }

  /** Pushes at most `length` bytes of the file. `position` is the offset in the file alone. */
  #readFile(position: number, length: number): void {
    const buffer = Buffer.allocUnsafe(length);
    this.#reading = true;
    read(this.#lease.descriptor, buffer, 0, length, position, (error, got) => {
      this.#reading = false;
      this.#idle?.();
      if (this.destroyed) return;
      if (error !== null) this.destroy(error);
      else if (got === 0) this.destroy(new Error('the trace is shorter than it was'));
      else {
        this.#at += got;
        this.push(buffer.subarray(0, got));
      }
    });
  }

  /**
   * Waits for a running read, because the descriptor must stay open until it completes. Its number
   * could otherwise be reused for another file.
   */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const close = (): void => {
      this.#lease[Symbol.dispose]();
      done(error);
    };
    if (this.#reading) this.#idle = close;
    else close();
  }
}
