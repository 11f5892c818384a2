// Places the records of a followed trace in the recording: at the recording's times, with ids of their own, and only what
// happened since its start.
import { hash } from 'node:crypto';
import { type AssetId, cleanName, endOfRecord, roundMs, type TraceRecord } from '@svc/trace';
import { framesWithin } from './cut-frames.ts';
import { EarlierAssets } from './earlier-assets.ts';

/** Clocks are compared in whole milliseconds, and a record may be read late, but none can be written early. */
const FUTURE_MS = 1_000;

/** Hexadecimal digits of an id. 65,536 assets have the same digits by chance once in 10^10 traces. */
const ID_DIGITS = 16;

export type PlaceOptions = {
  /** The name of the file, for sentences. */
  readonly name: string;
  /** The trace time in the recording at which the followed trace began. Negative if it began before the recording. */
  readonly offsetMs: number;
  /** Distinguishes the assets of this trace from those of traces that were followed before. */
  readonly generation: number;
  /** The present trace time. */
  now(): number;
  append(record: TraceRecord): void;
};

export class RecordPlacer {
  readonly #options: PlaceOptions;
  readonly #earlier = new EarlierAssets();
  readonly #leftOutTypes = new Set<string>();
  #fromFuture = 0;

  constructor(options: PlaceOptions) {
    this.#options = options;
  }

  /** The number of records that were left out because they end in the future. */
  get fromFuture(): number {
    return this.#fromFuture;
  }

  /** Appends the record, or what of it lies after the start. */
  place(record: TraceRecord): void {
    switch (record.type) {
      case 'process':
      case 'stacks':
      case 'note':
      case 'unknown':
        this.#leaveOut(record);
        return;
      case 'end':
        return;
      default:
        this.#placeMerged(moved(record, this.#options));
    }
  }

  /** Appends the assets of before the start. Called when all records that there are have been placed. */
  flush(): void {
    if (this.#earlier.isEmpty) return;
    const { records, leftOut } = this.#earlier.take();
    for (const record of records) this.#options.append(record);
    if (leftOut === 0) return;
    const reason = 'too_many_assets';
    this.#options.append({ type: 'loss', t: 0, reason, count: leftOut, probe: 'follow' });
  }

  #placeMerged(record: Merged): void {
    if (endOfRecord(record) > this.#options.now() + FUTURE_MS) this.#fromFuture++;
    else if (record.t < 0) this.#placeEarlier(record);
    else {
      // A release after the start needs its asset before it.
      this.flush();
      this.#options.append(record);
    }
  }

  #placeEarlier(record: Merged): void {
    switch (record.type) {
      case 'asset':
        this.#earlier.loaded(record);
        break;
      case 'release':
        this.#earlier.released(record);
        break;
      case 'frames': {
        const rest = framesWithin(record, 0);
        if (rest !== null) this.#placeMerged(rest);
        break;
      }
      case 'span':
      case 'longtask':
      case 'loss': {
        const left = roundMs(endOfRecord(record));
        if (left > 0) this.#placeMerged({ ...record, t: 0, duration_ms: left });
        break;
      }
      case 'mark':
      case 'counter':
      case 'log':
        break;
    }
  }

  /** States once that records of a type are left out. */
  #leaveOut({ type }: TraceRecord): void {
    if (this.#leftOutTypes.has(type)) return;
    this.#leftOutTypes.add(type);
    const what = type === 'unknown' ? 'of unknown types' : `of the type ${type}`;
    const text = `Records ${what} in ${this.#options.name} are left out.`;
    this.#options.append({ type: 'log', t: Math.max(0, this.#options.now()), level: 'info', text });
  }
}

/** The records that are merged. */
type Merged = Exclude<TraceRecord, { type: 'process' | 'stacks' | 'note' | 'unknown' | 'end' }>;

/** The record at its time in the recording, with clean names and an id of its own. */
function moved(record: Merged, { offsetMs, generation }: PlaceOptions): Merged {
  const t = roundMs(record.t + offsetMs);
  switch (record.type) {
    case 'frames':
    case 'loss':
      return { ...record, t };
    case 'longtask': {
      const scripts = record.scripts?.map((script) => ({
        ...script,
        name: cleanName(script.name),
      }));
      return { ...record, t, ...(scripts && { scripts }) };
    }
    case 'asset':
      return { ...record, t, id: idOf(record.id, generation), name: cleanName(record.name) };
    case 'release':
      return { ...record, t, id: idOf(record.id, generation) };
    case 'span': {
      const track = record.track === undefined ? {} : { track: cleanName(record.track) };
      return { ...record, t, name: cleanName(record.name), ...track };
    }
    case 'mark':
    case 'counter':
      return { ...record, t, name: cleanName(record.name) };
    case 'log':
      return { ...record, t, text: cleanName(record.text) };
  }
}

/**
 * Ids that are numbers in the followed trace stay readable. Others may contain anything, so a digest stands for them. All
 * differ from the ids of the probe `files`, which are numbers.
 */
function idOf(id: AssetId, generation: number): string {
  return typeof id === 'number'
    ? `${generation}:${id}`
    : `${generation}#${hash('sha256', id).slice(0, ID_DIGITS)}`;
}
