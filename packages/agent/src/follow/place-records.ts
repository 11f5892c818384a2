// Places the records of a followed trace in the recording: at the recording's times, and only what happened since its start.
import { endOfRecord, roundMs, type TraceRecord } from '@svc/trace';
import { framesWithin } from './cut-frames.ts';
import { EarlierState } from './earlier-state.ts';
import { type Merged, ownRecord } from './own-record.ts';

/** Two clocks are compared, so a time may be a little later than now. */
const FUTURE_MS = 1_000;

export type PlaceOptions = {
  /** The name of the file, for sentences. */
  readonly name: string;
  /** The trace time in the recording at which the followed trace began. Negative if it began before the recording. */
  readonly offsetMs: number;
  /** Distinguishes the assets of this trace from those of traces that were followed before. */
  readonly generation: number;
  /** The present trace time. */
  now(): number;
  append(record: Merged): void;
  /** Appends a record of svc itself. */
  note(record: TraceRecord): void;
};

export class RecordPlacer {
  readonly #options: PlaceOptions;
  readonly #earlier = new EarlierState();
  readonly #leftOutTypes = new Set<string>();
  #placed = 0;
  #fromFuture = 0;
  #latestMs = 0;

  constructor(options: PlaceOptions) {
    this.#options = options;
  }

  /** The number of records that were left out because they are in the future. */
  get fromFuture(): number {
    return this.#fromFuture;
  }

  /** The latest end of a record in the recording, by trace time. */
  get latestMs(): number {
    return this.#latestMs;
  }

  /** The trace time of a time in the followed trace. */
  toTraceMs(ms: number): number {
    return roundMs(ms + this.#options.offsetMs);
  }

  /** Appends the record, or what of it lies after the start. */
  place(record: TraceRecord): void {
    switch (record.type) {
      case 'process':
      case 'stacks':
      case 'note':
      case 'unknown':
        this.#leaveOut(record.type);
        return;
      case 'end':
        return;
      default:
        this.#placeOwn(ownRecord(record, this.toTraceMs(record.t), this.#options.generation));
    }
  }

  /** Appends what the game had at the start. Called at the end, and when nothing of before the start is expected any more. */
  flush(): void {
    if (this.#earlier.isEmpty) return;
    for (const record of this.#earlier.take()) this.#append(record);
  }

  #placeOwn(record: Merged): void {
    const now = this.#options.now();
    const isFuture = endOfRecord(record) > now + FUTURE_MS;
    if (record.t > now + FUTURE_MS || (isFuture && record.type === 'frames')) this.#fromFuture++;
    // A game may know a duration before it is over. What is recorded has happened.
    else if (isFuture) this.#placeKnown(clipped(record, record.t, Math.max(record.t, now)));
    else this.#placeKnown(record);
  }

  #placeKnown(record: Merged): void {
    if (record.t < 0) this.#placeEarlier(record);
    else this.#place(record);
  }

  /** What the game had at the start comes first. */
  #place(record: Merged): void {
    this.flush();
    this.#append(record);
  }

  /** Takes a record that began before the start: places what of it is left, or keeps what it changed. */
  #placeEarlier(record: Merged): void {
    const isOver = endOfRecord(record) <= 0;
    switch (record.type) {
      case 'asset':
        if (isOver) this.#earlier.loaded(record);
        else this.#place(clipped(record, 0));
        break;
      case 'release':
        // A game writes with a delay, so the asset may have been recorded already.
        if (this.#earlier.has(record.id)) this.#earlier.released(record);
        else if (this.#placed > 0) this.#place({ ...record, t: 0 });
        break;
      case 'frames': {
        const rest = framesWithin(record, 0);
        if (rest !== null) this.#place(rest);
        break;
      }
      case 'span':
      case 'longtask':
      case 'loss':
        if (!isOver) this.#place(clipped(record, 0));
        break;
      case 'counter':
        this.#earlier.counted(record);
        break;
      case 'mark':
        this.#earlier.marked(record);
        break;
      case 'log':
    }
  }

  #append(record: Merged): void {
    this.#placed++;
    this.#latestMs = Math.max(this.#latestMs, endOfRecord(record));
    this.#options.append(record);
  }

  /** States once that records of a type are left out. */
  #leaveOut(type: string): void {
    if (this.#leftOutTypes.has(type)) return;
    this.#leftOutTypes.add(type);
    const what = type === 'unknown' ? 'of unknown types' : `of the type ${type}`;
    const text = `Records ${what} in ${this.#options.name} are left out.`;
    this.#options.note({ type: 'log', t: Math.max(0, this.#options.now()), level: 'info', text });
  }
}

/** The part of a record with a duration that lies between two trace times. */
function clipped(record: Merged, fromMs: number, toMs: number = Number.POSITIVE_INFINITY): Merged {
  const t = Math.max(record.t, fromMs);
  const lengthUntil = (end: number): number => roundMs(Math.max(0, Math.min(end, toMs) - t));
  const duration_ms = lengthUntil(endOfRecord(record));
  switch (record.type) {
    case 'asset': {
      const main = record.main_thread_ms;
      const rest = main === undefined ? {} : { main_thread_ms: lengthUntil(record.t + main) };
      return { ...record, t, duration_ms, ...rest };
    }
    case 'longtask':
      // How its blocking and its scripts are distributed is unknown.
      return { type: 'longtask', t, duration_ms };
    case 'span':
    case 'loss':
      return { ...record, t, duration_ms };
    default:
      return record;
  }
}
