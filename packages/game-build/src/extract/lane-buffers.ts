// The memory that one lane of an extraction works with.

/** So much longer than what stands in it a buffer may be to be an entry's own. */
const SLACK_BYTES = 1;

/**
 * Buffers that are used for entry after entry. V8 goes through its whole heap whenever some 32 MiB of new buffers have
 * been made, and waits for that to free the old ones: with a new one for each step a large build costs more in
 * collections than in inflating, and its memory is bounded by their pace alone.
 */
export class LaneBuffers {
  /** What is read is read into this, over what was read before. */
  readonly input: Buffer;
  #lent: Buffer | null = null;

  /** `inputBytes` is the most that is read at once. */
  constructor(inputBytes: number) {
    this.input = Buffer.allocUnsafeSlow(inputBytes);
  }

  /** Notes a buffer that was made for the entry at work. */
  lend(buffer: Buffer): void {
    this.#lent = buffer;
  }

  /** Frees what was lent. Only for the end of an entry that went well: no task may be reading it still. */
  takeBack(): void {
    const lent = this.#lent;
    this.#lent = null;
    if (lent === null || !(lent.buffer instanceof ArrayBuffer)) return;
    // Small ones stand beside others in a pool of Node's.
    if (lent.buffer.byteLength <= lent.length + SLACK_BYTES) lent.buffer.transfer(0);
  }
}
