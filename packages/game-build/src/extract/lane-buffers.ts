// The buffers of one lane of an extraction.

/** A buffer of an entry may be longer than its content by this. Longer buffers belong to a pool of Node. */
const SLACK_BYTES = 1;

/**
 * Buffers that are reused for each entry. After about 32 MiB of new buffers, V8 collects its whole heap before it frees the old
 * ones. With new buffers for each step, a large build would spend more time in collections than in inflating.
 */
export class LaneBuffers {
  /** Every read overwrites this buffer. */
  readonly input: Buffer;
  #lent: Buffer | null = null;

  /** `inputBytes` is the maximum size of a read. */
  constructor(inputBytes: number) {
    this.input = Buffer.allocUnsafeSlow(inputBytes);
  }

  /** Registers a buffer that was allocated for the current entry. */
  lend(buffer: Buffer): void {
    this.#lent = buffer;
  }

  /** Frees the registered buffer. Call it only after an entry has succeeded, when no task reads the buffer any more. */
  takeBack(): void {
    const lent = this.#lent;
    this.#lent = null;
    if (lent === null || !(lent.buffer instanceof ArrayBuffer)) return;
    // Small buffers share a pool of Node with others.
    if (lent.buffer.byteLength <= lent.length + SLACK_BYTES) lent.buffer.transfer(0);
  }
}
