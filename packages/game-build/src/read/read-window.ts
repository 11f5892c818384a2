// Reads many small pieces of a source, mostly in order, with few reads.
import type { ByteSource } from '../byte-source.ts';

/** Keeps one part of the source in memory. The buffer from {@link take} is valid until the next call. */
export class ReadWindow {
  readonly #source: ByteSource;
  readonly #end: number;
  readonly #windowBytes: number;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  /** Reads `windowBytes` at a time, but not beyond `end`. */
  constructor(source: ByteSource, end: number, windowBytes: number) {
    this.#source = source;
    this.#end = end;
    this.#windowBytes = windowBytes;
  }

  /** Reads `length` bytes from `offset`, which must be within the source. */
  take(offset: number, length: number): Buffer | Promise<Buffer> {
    const from = offset - this.#start;
    if (from >= 0 && from + length <= this.#bytes.length) {
      return this.#bytes.subarray(from, from + length);
    }
    return this.#refill(offset, length);
  }

  async #refill(offset: number, length: number): Promise<Buffer> {
    const wanted = Math.max(length, Math.min(this.#windowBytes, this.#end - offset));
    this.#bytes = await this.#source.read(offset, wanted);
    this.#start = offset;
    return this.#bytes.subarray(0, length);
  }
}
