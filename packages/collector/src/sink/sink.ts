// Where every part of a recording puts what it saw: a bounded queue of records, written into the byte log once a second.
import { formatRecord, type KnownRecord, roundMs } from '@svc/trace/write';
import type { Spool } from '../api.ts';
import type { Batch, ByteLog, Gone } from './byte-log.ts';
import { now } from './clock.ts';

/** Most records that may wait for the next write. */
const QUEUE_RECORDS = 16_384;

/** A batch takes no more lines once it is this long. */
const BATCH_CHARACTERS = 8_192;

/** One observed thing, in a file of its own. Starting it returns how to stop it, or why it is not offered here. */
export type Part = (sink: Sink) => (() => void) | string;

/** What leaves records behind only when asked: called before every write, `all` at the end and at an export. */
export type Collect = (all: boolean) => void;

export class Sink {
  readonly origin: number;
  /** False once the recording is over: a replaced method that could not be put back then only passes on. */
  on = true;
  /** True while the last records are written: nothing waits any more. */
  ending = false;
  /** Number of the frame under way. */
  frame = 0;
  /** Sums of the frame under way, added to by every draw call. A plain object of numbers: this is the hot path. */
  readonly work = { draws: 0, triangles: 0 };
  /** GPU times arrive some frames late: filled by the frames part. */
  setGpuTime: (frame: number, ms: number) => void = () => {};
  /** Durations of the last frames, each at its number modulo the length: filled by the frames part, null without it. */
  recent: Float64Array | null = null;
  /** The JS heap when it was last read: filled by the memory part, null without it. */
  heapBytes: number | null = null;
  /** Which columns of the frames line have a source. */
  readonly columns = { draws: false, gpu: false };
  readonly collects: Collect[] = [];
  /** What is not recorded, and why. */
  readonly missing: { readonly what: string; readonly why: string }[] = [];
  records = 0;
  lost = 0;
  readonly #log: ByteLog;
  readonly #spool: Spool | undefined;
  readonly #encoder = new TextEncoder();
  #queue: KnownRecord[] = [];
  #refused = 0;
  #refusedAt = 0;

  constructor(log: ByteLog, spool: Spool | undefined) {
    this.origin = now();
    this.#log = log;
    this.#spool = spool;
  }

  /** Milliseconds since the start of the recording. */
  now(): number {
    return now() - this.origin;
  }

  /** A time on the page's time line as milliseconds since the start; what lies before the start is 0. */
  since(pageTime: number): number {
    return Math.max(0, roundMs(pageTime - this.origin));
  }

  /** Something is not recorded: the reason goes into the trace, once. */
  absent(what: string, why: string): void {
    if (this.missing.some((one) => one.what === what)) return;
    this.missing.push({ what, why });
    this.write({
      type: 'log',
      t: this.now(),
      level: 'info',
      text: `not recorded: ${what}: ${why}`,
    });
  }

  /** Queues the record. Where the queue is full it is counted instead, and the trace says so. */
  write(record: KnownRecord): void {
    if (this.#queue.length < QUEUE_RECORDS) this.#queue.push(record);
    else {
      if (this.#refused === 0) this.#refusedAt = this.now();
      this.#refused++;
    }
  }

  /** Queues a counter's value at this time. */
  count(name: string, unit: string, value: number): void {
    this.write({ type: 'counter', t: this.now(), name, unit, value });
  }

  /** Writes what waits into the log. Returns false where it does not fit and nothing may be dropped. */
  flush(all: boolean, mayDrop: boolean): boolean {
    for (const collect of this.collects) quietly(() => collect(all));
    if (this.#refused > 0) this.#tellRefused();
    const queue = this.#queue;
    this.#queue = [];
    let fits = true;
    for (let at = 0; at < queue.length && fits; ) {
      const batch = this.#makeBatch(queue, at);
      at += batch.records;
      fits = this.#keep(batch, mayDrop);
      if (!fits) this.#giveUp(queue.length - at);
    }
    return fits;
  }

  /** The next lines as one batch: small ones, so that little goes at once when the oldest must go. */
  #makeBatch(queue: readonly KnownRecord[], start: number): Batch {
    let text = '';
    let from = Number.POSITIVE_INFINITY;
    let to = 0;
    let at = start;
    for (; at < queue.length && text.length < BATCH_CHARACTERS; at++) {
      const record = queue[at];
      if (record === undefined) continue;
      text += formatRecord(record);
      from = Math.min(from, record.t);
      to = Math.max(to, endOf(record));
    }
    return { bytes: this.#encoder.encode(text), from, to, records: at - start };
  }

  #keep(batch: Batch, mayDrop: boolean): boolean {
    this.records += batch.records;
    if (!mayDrop && !this.#log.fits(batch)) {
      this.#log.noteDropped(batch);
      this.lost += batch.records;
      return false;
    }
    const gone = this.#log.append(batch);
    if (gone !== null) this.lost += gone.records;
    quietly(() => this.#spoolToo(batch.bytes, gone));
    return true;
  }

  /** What is left of the queue when the recording stops at its budget. */
  #giveUp(records: number): void {
    const t = this.now();
    this.records += records;
    this.lost += records;
    this.#log.noteDropped({ bytes: new Uint8Array(), from: t, to: t, records });
  }

  #spoolToo(lines: Uint8Array, gone: Gone | null): void {
    this.#spool?.append(lines);
    if (this.#spool === undefined || gone === null) return;
    this.#spool.dropOldest(gone.bytes);
    this.#spool.append(this.#encoder.encode(formatLoss(gone)));
  }

  #tellRefused(): void {
    const t = this.#refusedAt;
    this.lost += this.#refused;
    this.#queue.push({
      type: 'loss',
      t: roundMs(t),
      reason: 'buffer_full',
      count: this.#refused,
      duration_ms: roundMs(this.now() - t),
    });
    this.#refused = 0;
  }
}

/** Does something that must never be heard of by the game: what it throws is swallowed. */
export function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // A measuring tool must not become the fault.
  }
}

/** What `work` gives; undefined where it throws. */
export function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The line that tells what the budget cost. */
export function formatLoss({ from, to, records }: Pick<Gone, 'from' | 'to' | 'records'>): string {
  const duration_ms = roundMs(Math.max(0, to - from));
  return formatRecord({
    type: 'loss',
    t: from,
    reason: 'storage_cap',
    count: records,
    duration_ms,
  });
}

/** When what a record tells of was over. */
function endOf(record: KnownRecord): number {
  if (record.type === 'frames') return record.duration_ms.reduce((sum, ms) => sum + ms, record.t);
  return record.t + ('duration_ms' in record ? (record.duration_ms ?? 0) : 0);
}
