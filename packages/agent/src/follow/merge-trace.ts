// Reads followed traces from bytes, one after the other, decides which of them to merge, and places their records.
import {
  cleanName,
  endOfRecord,
  type Header,
  TraceError,
  type TraceRecord,
  VptReader,
} from '@svc/trace';
import { AGENT_PRODUCER } from '../producer.ts';
import { RecordPlacer } from './place-records.ts';

/** A game writes ten times a second. Records that are older than this, ten times in a row, have wrong times. */
const LAG_MS = 5_000;
const LAGS = 10;

/** The time after the start in which a game may still write what happened before it. */
const EARLIER_MS = 1_000;

export type MergeOptions = {
  /** The name of the file, for sentences. */
  readonly name: string;
  /** The time of the clock at trace time 0 of the recording, in milliseconds since 1970. */
  readonly startedAtMs: number;
  /** The present trace time. */
  now(): number;
  /** Whether a trace that began at a time of the clock is of an earlier run of the program. */
  isEarlier(beganMs: number): boolean;
  /** Appends a record of the trace. */
  append(record: TraceRecord): void;
  /** Appends a record of svc itself. */
  note(record: TraceRecord): void;
  /** Called when a trace takes the place of the one that was merged so far. */
  readonly onReplaced: () => void;
};

/**
 * `unread`: there is no header yet. `earlier`: the trace is of an earlier run. `ended`: the program has ended it. `refused`: it
 * cannot be merged, or only up to here. The reason is a sentence without its point, for the user.
 */
export type MergeState =
  | { readonly is: 'unread' | 'merging' }
  | { readonly is: 'earlier' | 'ended' | 'refused'; readonly reason: string };

/** Why a trace is not merged. */
class Refusal extends Error {}

export class TraceMerger {
  readonly #options: MergeOptions;
  #state: MergeState = { is: 'unread' };
  #reader: VptReader | null = null;
  #placer: RecordPlacer | null = null;
  /** Identifies the trace of the placer. A file that is written again with the same trace is not merged twice. */
  #key = '';
  #generation = 0;
  /** The number of records of this trace that were read, and of those that are read again. */
  #seen = 0;
  #again = 0;
  #futureBefore = 0;
  /** Why a part of a trace was not merged. */
  #missing: string | null = null;
  /** The latest end of the records since the last look, by trace time. Null: there were none. */
  #newestMs: number | null = null;
  #lags = 0;
  /** Whether all bytes that were in the file have been read or skipped. */
  #hasCaughtUp = false;

  constructor(options: MergeOptions) {
    this.#options = options;
  }

  get state(): MergeState {
    return this.#state;
  }

  /** Why a part of a trace was not merged, also if another trace has taken its place. Null: nothing is missing. */
  get missing(): string | null {
    return this.#missing;
  }

  /** The number of records of all traces that were left out because they are in the future. */
  get fromFuture(): number {
    return this.#futureBefore + (this.#placer?.fromFuture ?? 0);
  }

  /** The latest end of a record of the present trace in the recording, by trace time. */
  get latestMs(): number {
    return this.#placer?.latestMs ?? 0;
  }

  /** A file begins: the first one, another one, or the same one anew. */
  begin(): void {
    this.#finishReader();
    this.#state = { is: 'unread' };
    this.#hasCaughtUp = false;
    this.#reader = new VptReader({
      header: (header) => this.#readHeader(header),
      record: (record) => this.#readRecord(record),
      scanned: ({ type, end }) => this.#skips(type, end),
    });
  }

  /** Takes the next bytes. Records are appended meanwhile. Returns false if no more bytes of this file are needed: the rest is to be skipped. */
  push(bytes: Uint8Array): boolean {
    if (this.#state.is === 'earlier' && this.#hasCaughtUp) {
      const reason = `${this.#options.name} began before the program, but is being written: the clock was changed, or another program writes it`;
      this.#state = { is: 'earlier', reason };
    }
    try {
      if (this.#isReading()) this.#reader?.push(bytes);
    } catch (error) {
      // What follows the end, or is of an earlier run, is not merged anyway.
      if (this.#isReading()) this.#refuse(this.#refusalText(error));
    }
    this.#hasCaughtUp = !this.#isReading();
    return this.#isReading();
  }

  /** Called when all bytes so far have been pushed. */
  caughtUp(): void {
    this.#hasCaughtUp = true;
    if (this.#state.is !== 'merging') return;
    if (this.#options.now() > EARLIER_MS) this.#placer?.flush();
    if (this.#newestMs === null) return;
    const lagMs = this.#options.now() - this.#newestMs;
    this.#newestMs = null;
    this.#lags = lagMs > LAG_MS ? this.#lags + 1 : 0;
    if (this.#lags < LAGS) return;
    const seconds = Math.round(lagMs / 1000).toLocaleString('en-US');
    const reason = `The times of ${this.#options.name} are ${seconds} s behind: the computer slept, or its clock was changed, since the game started. Start the game again`;
    this.#refuse(reason);
  }

  /** Called when no more bytes come. */
  finish(): void {
    this.#finishReader();
    this.#placer?.flush();
  }

  /** A last line without its end counts if it is complete. */
  #finishReader(): void {
    const reader = this.#reader;
    this.#reader = null;
    if (reader === null || this.#state.is !== 'merging') return;
    try {
      reader.finish();
    } catch {
      // It is torn, or invalid. Everything before it is merged.
    }
  }

  #readHeader(header: Header): void {
    const { name, startedAtMs, now, append, note, isEarlier, onReplaced } = this.#options;
    if (header.producer.name === AGENT_PRODUCER) {
      throw new Refusal(`${name} is a recording of svc, and not the trace of a game`);
    }
    if (header.sources.length !== 1 || header.sources[0] !== 'native') {
      throw new Refusal(`${name} is not of a native game: it has records of another source`);
    }
    if (header.started_at === null) {
      throw new Refusal(`${name} does not state when it began, so its times are unknown`);
    }
    const beganMs = Date.parse(header.started_at);
    const key = JSON.stringify([header.producer, header.started_at]);
    const isSame = key === this.#key;
    if (!isSame && isEarlier(beganMs)) {
      const reason = `${name} is of an earlier run, and the program has not written a new one yet`;
      this.#state = { is: 'earlier', reason };
      return;
    }
    this.#state = { is: 'merging' };
    this.#again = isSame ? this.#seen : 0;
    if (isSame) return;
    onReplaced();
    this.#placer?.flush();
    this.#futureBefore = this.fromFuture;
    this.#key = key;
    this.#seen = 0;
    this.#lags = 0;
    const generation = ++this.#generation;
    const offsetMs = beganMs - startedAtMs;
    this.#placer = new RecordPlacer({ name, offsetMs, generation, now, append, note });
    note(this.#firstLog(header));
  }

  #readRecord(record: TraceRecord): void {
    if (record.type === 'end') this.#end();
    else if (this.#takes(endOfRecord(record))) this.#placer?.place(record);
  }

  /** Whether a scanned record needs no object: a span that was over before the start, or a record that is not merged. */
  #skips(type: string, end: number): boolean {
    const isPlaced = this.#state.is === 'merging' && this.#again === 0;
    const isOver = type === 'span' && (this.#placer?.toTraceMs(end) ?? 0) < 0;
    // The other records are taken as objects.
    if (isPlaced && !isOver) return false;
    this.#takes(end);
    return true;
  }

  /** Counts a record of the trace. Returns whether it is to be placed. */
  #takes(end: number): boolean {
    if (this.#state.is !== 'merging') return false;
    const endMs = this.#placer?.toTraceMs(end) ?? 0;
    this.#newestMs = Math.max(this.#newestMs ?? endMs, endMs);
    if (this.#again === 0) {
      this.#seen++;
      return true;
    }
    this.#again--;
    return false;
  }

  #isReading(): boolean {
    return this.#state.is === 'unread' || this.#state.is === 'merging';
  }

  #end(): void {
    if (this.#state.is !== 'merging') return;
    this.#placer?.flush();
    const reason = `The program has ended its trace ${this.#options.name}`;
    this.#state = { is: 'ended', reason };
  }

  /** Keeps what was merged so far. */
  #refuse(reason: string): void {
    const isMerging = this.#state.is === 'merging';
    this.#state = { is: 'refused', reason };
    if (!isMerging) return;
    this.#missing ??= reason;
    this.#placer?.flush();
    const t = Math.max(0, this.#options.now());
    this.#options.note({ type: 'loss', t, reason: 'probe_lost', probe: 'follow' });
  }

  #refusalText(error: unknown): string {
    const { name } = this.#options;
    if (error instanceof Refusal) return error.message;
    if (!(error instanceof TraceError)) throw error;
    return this.#state.is === 'merging'
      ? `Only the start of ${name} was merged. ${error.message}`
      : `${name} cannot be merged. ${error.message}`;
  }

  #firstLog({ producer, gpu }: Header): TraceRecord {
    const by = `${cleanName(producer.name)} ${cleanName(producer.version)}`;
    const onCpu = gpu?.software === true ? ', which renders on the CPU' : '';
    const graphics = gpu === undefined ? '' : ` Graphics: ${cleanName(gpu.name)}${onCpu}.`;
    const text = `svc merges ${this.#options.name}, written by ${by}.${graphics}`;
    return { type: 'log', t: Math.max(0, this.#options.now()), level: 'info', text };
  }
}
