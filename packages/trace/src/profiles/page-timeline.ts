// Converts Chrome traces of one recording, in segments, to records on the clock of that recording. Another writer, which is in the
// page, records the frames and assets; the segments add functions, rendering work and garbage collections.

import { endOfRecord } from '../format/end-of-record.ts';
import { LATEST_T_MS } from '../format/limits.ts';
import type { KnownRecord } from '../format/records.ts';
import { roundMs } from '../vpt/format-record.ts';
import { readEvent } from './chrome-event.ts';
import { ChromeRecording } from './chrome-recording.ts';
import { spansOfWork, threadProfiles } from './chrome-records.ts';
import { ChromeThread } from './chrome-thread.ts';
import { EVENT_BYTES } from './conversion.ts';
import { parseBytes } from './json-fields.ts';
import { JsonSplitter, type JsonVisitor } from './split-json.ts';
import { type OwnScript, writeProfiles } from './write-profiles.ts';
import { StacksWriter } from './write-stacks.ts';

/** A mark that the recording set by `performance.mark`, by which the clocks are compared. */
export type ClockMark = {
  /** The thread that set the mark, and its process. */
  readonly thread: string;
  readonly pid: string;
  /** The time of the mark on the clock of the trace, in µs. */
  readonly ts: number;
};

/** The thread that draws the game, and the time of the trace's clock at `t` 0, in µs. */
export type PageClock = { readonly thread: string; readonly pid: string; readonly origin: number };

/**
 * One Chrome trace. Call `push` with its bytes, then `finish`. Marks whose names begin with `markPrefix` are kept by the rest of
 * their name, and not written.
 */
export class TimelineSegment implements JsonVisitor {
  readonly recording = new ChromeRecording();
  readonly marks = new Map<string, ClockMark>();
  readonly #markPrefix: string;
  readonly #splitter = new JsonSplitter(this, EVENT_BYTES);

  constructor(markPrefix: string) {
    this.#markPrefix = markPrefix;
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }

  finish(): void {
    this.#splitter.finish();
  }

  isList(key: string): boolean {
    return key === 'traceEvents';
  }

  element(_key: string, bytes: Uint8Array): void {
    const value = parseBytes(bytes);
    const event = readEvent(value);
    if (event === null || !event.name.startsWith(this.#markPrefix)) {
      this.recording.take(value);
      return;
    }
    const { name, thread, pid, ts } = event;
    const label = name.slice(this.#markPrefix.length);
    if (!this.marks.has(label)) this.marks.set(label, { thread, pid, ts });
  }

  value(): void {}

  skipped(): void {
    this.recording.unreadable++;
  }
}

/** Writes segments in the order of time. The stacks of all segments share their names and nodes. */
export class PageTimeline {
  readonly #put: (record: KnownRecord) => void;
  readonly #own: OwnScript;
  readonly #writer: StacksWriter;

  /** `own` is the script of the recording in the page. */
  constructor(put: (record: KnownRecord) => void, own: OwnScript) {
    this.#put = put;
    this.#own = own;
    this.#writer = new StacksWriter((record) => put(record));
  }

  /**
   * Passes on the records of a segment. Stacks of other processes than the game's are left out. Returns the time of the end of the
   * last sample in milliseconds, 0 without samples.
   */
  write({ recording }: TimelineSegment, { thread, pid, origin }: PageClock): number {
    const main = recording.threads.get(thread) ?? new ChromeThread(thread, pid);
    for (const record of spansOfWork(recording, main, origin)) this.#putTimely(record);
    for (const record of recording.timings.get(pid)?.records(origin) ?? []) this.#putTimely(record);
    const profiles = threadProfiles(recording, main).filter(({ pid: own }) => own === pid);
    writeProfiles(profiles, this.#writer, origin, this.#own);
    this.#writer.finish();
    const unreadable = profiles.reduce((sum, { profile }) => sum + profile.unreadable, 0);
    const count = recording.unreadable + unreadable;
    if (count > 0) this.#put({ type: 'loss', t: 0, reason: 'unreadable_events', count });
    for (const ts of recording.bufferFull.trimmed()) {
      const t = roundMs(Math.max(0, ts - origin) / 1000);
      this.#put({ type: 'loss', t, reason: 'buffer_full', probe: 'stacks' });
    }
    return this.#writer.end_ms;
  }

  #putTimely(record: KnownRecord): void {
    if (record.t >= 0 && endOfRecord(record) <= LATEST_T_MS) this.#put(record);
  }
}
