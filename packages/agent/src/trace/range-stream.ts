// Streams a range of a shared file. Node's own stream would close the descriptor for all readers
// when one client disconnects.
import { read } from 'node:fs';
import { Readable } from 'node:stream';
import type { FileLease } from './shared-file.ts';

const CHUNK_BYTES = 256 * 1024;

/**
 * Reads from `start` up to, but not including, `end`. The lease is released when nothing reads any
 * more.
 */
export class RangeStream extends Readable {
  readonly #lease: FileLease;
  readonly #end: number;
  #at: number;
  #reading = false;
  #idle: (() => void) | null = null;

  constructor(lease: FileLease, start: number, end: number) {
    super({ highWaterMark: CHUNK_BYTES });
    this.#lease = lease;
    this.#at = start;
    this.#end = end;
  }

  override _read(): void {
    const length = Math.min(CHUNK_BYTES, this.#end - this.#at);
    if (length <= 0) {
      this.push(null);
      return;
    }
    const buffer = Buffer.allocUnsafe(length);
    this.#reading = true;
    read(this.#lease.descriptor, buffer, 0, length, this.#at, (error, got) => {
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
