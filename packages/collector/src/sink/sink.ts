// Receives the records of all parts of a recording in a bounded queue, and writes them to the byte log once per second.
import { formatKnownRecord, type KnownRecord, roundMs } from '@svc/trace/write';
import type { Spool } from '../api.ts';
import type { Batch, ByteLog, Dropped } from './byte-log.ts';
import { now } from './clock.ts';

/** Most records in the queue. */
const QUEUE_RECORDS = 16_384;

/** A batch is complete when it is this long. */
const BATCH_CHARACTERS = 8_192;

/** Starts one part of a recording. Returns a function that stops it, or the reason why it is not available. */
export type Part = (sink: Sink) => (() => void) | string;

/** Called before every write to queue records; with `all` at the end and at an export. */
export type Collect = (all: boolean) => void;

/** Lines that a part keeps outside of the log, because they are only complete at an export. */
export type Kept = {
  /** The lines until now, with a loss for those that have not arrived. Never throws. */
  lines(): string[];
  /** Resolves when `lines` has everything until now. Never rejects; waits two seconds at most. */
  settle(): Promise<void>;
};

export class Sink {
  readonly origin: number;
  /** False after the recording has ended. Hooks that could not be removed then only pass calls on. */
  on = true;
  /** True while the last records are written: parts must not keep anything back. */
  ending = false;
  /** Number of the current frame. */
  frame = 0;
  /** Sums of the current frame. Every draw call adds to them; a plain object of numbers, because this is the hot path. */
  readonly work = { draws: 0, triangles: 0 };
  /** Sets the GPU time of an earlier frame. Assigned by the frames part. */
  setGpuTime: (frame: number, ms: number) => void = () => {};
  /** Durations of the last frames, at index frame number modulo length. Set by the frames part, null without it. */
  recent: Float64Array | null = null;
  /** The last known size of the JS heap. Set by the memory part, null without it. */
  heapBytes: number | null = null;
  /** Which optional columns of frames are recorded. */
  readonly columns = { draws: false, gpu: false };
  readonly collects: Collect[] = [];
  /** Set by the functions part, null without it. */
  kept: Kept | null = null;
  /** What cannot be recorded, and why. */
  readonly missing: { readonly what: string; readonly why: string }[] = [];
  records = 0;
  lost = 0;
  readonly log: ByteLog;
  readonly #spool: Spool | undefined;
  readonly #encoder = new TextEncoder();
  #queue: KnownRecord[] = [];
  #rejected = 0;
  #rejectedAt = 0;

  constructor(log: ByteLog, spool: Spool | undefined) {
    this.origin = now();
    this.log = log;
    this.#spool = spool;
  }

  /** Time since the start of the recording, in ms. */
  now(): number {
    return now() - this.origin;
  }

  /** Converts a time of the page's clock to ms since the start; 0 for times before the start. */
  since(pageTime: number): number {
    return Math.max(0, roundMs(pageTime - this.origin));
  }

  /** Writes to the trace, once, that something cannot be recorded. */
  skip(what: string, why: string): void {
    if (this.missing.some((one) => one.what === what)) return;
    this.missing.push({ what, why });
    this.write({
      type: 'log',
      t: this.now(),
      level: 'info',
      text: `not recorded: ${what}: ${why}`,
    });
  }

  /** Queues a record. If the queue is full, the record is counted as lost instead. */
  write(record: KnownRecord): void {
    if (this.#queue.length < QUEUE_RECORDS) this.#queue.push(record);
    else {
      if (this.#rejected === 0) this.#rejectedAt = this.now();
      this.#rejected++;
    }
  }

  /** Queues a counter's value at this time. */
  count(name: string, unit: string, value: number): void {
    this.write({ type: 'counter', t: this.now(), name, unit, value });
  }

  /** Writes the queue to the log. Returns false if it does not fit and nothing may be dropped. */
  flush(all: boolean, mayDrop: boolean): boolean {
    for (const collect of this.collects) quietly(() => collect(all));
    if (this.#rejected > 0) this.#writeRejected();
    const queue = this.#queue;
    this.#queue = [];
    let fits = true;
    for (let at = 0; at < queue.length && fits; ) {
      const batch = this.#makeBatch(queue, at);
      at += batch.records;
      fits = this.#keep(batch, mayDrop);
      if (!fits) this.#dropRest(queue.length - at);
    }
    return fits;
  }

  /** Formats the next records as one batch. Batches are small, so that little is lost when the oldest is dropped. */
  #makeBatch(queue: readonly KnownRecord[], start: number): Batch {
    let text = '';
    let from = Number.POSITIVE_INFINITY;
    let to = 0;
    let at = start;
    for (; at < queue.length && text.length < BATCH_CHARACTERS; at++) {
      const record = queue[at];
      if (record === undefined) continue;
      text += formatKnownRecord(record);
      from = Math.min(from, record.t);
      to = Math.max(to, endOf(record));
    }
    return { bytes: this.#encoder.encode(text), from, to, records: at - start };
  }

  #keep(batch: Batch, mayDrop: boolean): boolean {
    this.records += batch.records;
    if (!mayDrop && !this.log.fits(batch)) {
      this.log.noteDropped(batch);
      this.lost += batch.records;
      return false;
    }
    const dropped = this.log.append(batch);
    if (dropped !== null) this.lost += dropped.records;
    quietly(() => this.#copyToSpool(batch.bytes, dropped));
    return true;
  }

  /** Counts the rest of the queue as lost when the recording stops at its budget. */
  #dropRest(records: number): void {
    const t = this.now();
    this.records += records;
    this.lost += records;
    this.log.noteDropped({ bytes: new Uint8Array(), from: t, to: t, records });
  }

  #copyToSpool(lines: Uint8Array, dropped: Dropped | null): void {
    this.#spool?.append(lines);
    if (dropped === null) return;
    this.#spool?.dropOldest(dropped.bytes);
    this.#spool?.append(this.#encoder.encode(formatLoss(dropped)));
  }

  #writeRejected(): void {
    const t = this.#rejectedAt;
    this.lost += this.#rejected;
    this.#queue.push({
      type: 'loss',
      t,
      reason: 'buffer_full',
      count: this.#rejected,
      duration_ms: roundMs(this.now() - t),
    });
    this.#rejected = 0;
  }
}

/** Runs `work` and ignores its exceptions, so that the game never sees them. */
export function quietly(work: () => void): void {
  attempt(work);
}

/** Returns the result of `work`, or undefined if it throws. A measuring tool must not break the game. */
export function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The line of the loss that the budget caused. */
export function formatLoss({
  from,
  to,
  records,
}: Pick<Dropped, 'from' | 'to' | 'records'>): string {
  const duration_ms = roundMs(Math.max(0, to - from));
  return formatKnownRecord({
    type: 'loss',
    t: from,
    reason: 'storage_cap',
    count: records,
    duration_ms,
  });
}

/** The end of a record: `t` plus its duration. */
function endOf(record: KnownRecord): number {
  if (record.type === 'frames') return record.duration_ms.reduce((sum, ms) => sum + ms, record.t);
  return record.t + ('duration_ms' in record ? (record.duration_ms ?? 0) : 0);
}
