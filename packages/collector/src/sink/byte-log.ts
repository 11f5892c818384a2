// The bytes of a recording: batches of whole lines within a budget.

/** A batch of whole lines. `from` and `to` are times of the recording, `records` is the number of lines. */
export type Batch = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly from: number;
  readonly to: number;
  readonly records: number;
};

/** Dropped data: its times, lines and bytes. */
export type Dropped = { from: number; to: number; records: number; bytes: number };

/** Reserved for the header, the loss and the end. */
const RESERVED_BYTES = 4_096;

export class ByteLog {
  readonly budget: number;
  #batches: Batch[] = [];
  /** Bytes in memory, with the reserved ones. A part that keeps lines elsewhere adds its own. */
  used = RESERVED_BYTES;
  /** All data dropped since the start. */
  dropped: Dropped | null = null;

  constructor(budgetBytes: number) {
    this.budget = budgetBytes;
  }

  get bytes(): number {
    return this.used - RESERVED_BYTES;
  }

  /** Whether the batch fits without dropping anything. */
  fits(batch: Batch): boolean {
    return this.used + batch.bytes.byteLength <= this.budget;
  }

  /** Adds a batch. Drops the oldest batches if necessary and returns them, or null. */
  append(batch: Batch): Dropped | null {
    let dropped: Dropped | null = null;
    this.#batches.push(batch);
    this.used += batch.bytes.byteLength;
    while (this.used > this.budget) {
      const oldest = this.#batches.shift();
      if (oldest === undefined) break;
      this.used -= oldest.bytes.byteLength;
      dropped = sum(dropped, oldest);
      this.noteDropped(oldest);
    }
    return dropped;
  }

  /** Counts a batch among the dropped. */
  noteDropped(batch: Batch): void {
    this.dropped = sum(this.dropped, batch);
  }

  /** Frees the lines. */
  clear(): void {
    this.#batches = [];
  }

  /** The lines in the order they were written. */
  parts(): Uint8Array<ArrayBuffer>[] {
    return this.#batches.map((batch) => batch.bytes);
  }
}

function sum(dropped: Dropped | null, { from, to, records, bytes }: Batch): Dropped {
  return {
    from: dropped?.from ?? from,
    to: Math.max(dropped?.to ?? 0, to),
    records: (dropped?.records ?? 0) + records,
    bytes: (dropped?.bytes ?? 0) + bytes.byteLength,
  };
}
