// Merges the records of all documents and workers into one trace: one clock, one row of frames, names relative to the build.
import {
  DEFAULT_BUDGET_MS,
  type FramesRecord,
  isOverBudget,
  type KnownRecord,
  roundMs,
} from '@svc/trace';
import { chooseDrawing } from './choose-drawing.ts';
import { GameDocument } from './document.ts';

/** What was recorded so far. */
export type Counts = {
  /** Time of the last record. */
  readonly duration_ms: number;
  readonly frames: number;
  readonly hitches: number;
  /** Frames per second over the last frames record, or null without one. */
  readonly fps: number | null;
};

export class RecordMerger {
  readonly documents: GameDocument[] = [];
  readonly #put: (record: KnownRecord) => void;
  readonly #shorten: (text: string) => string;
  /** The duration of the frames that each document has contributed. Its slow frames are few, so they are not counted. */
  readonly #drawn_ms = new Map<GameDocument, number>();
  #framesEnd = 0;
  #counts: Counts = { duration_ms: 0, frames: 0, hitches: 0, fps: null };

  /** `shorten` makes a name in the trace from a name in the page. */
  constructor(put: (record: KnownRecord) => void, shorten: (text: string) => string) {
    this.#put = put;
    this.#shorten = shorten;
  }

  /** Passes on a record that belongs to no document, with the names of the trace. */
  put(record: KnownRecord): void {
    this.#put(renamed(record, this.#shorten, 0));
  }

  get counts(): Counts {
    return this.#counts;
  }

  /** When the trace begins, in milliseconds of Unix time: with the first document. Null before it. */
  get beganAt(): number | null {
    return this.documents[0]?.beganAt ?? null;
  }

  /** The document that drew for the longest time, otherwise the one that draws now. Null without any. */
  get game(): GameDocument | null {
    const [most] = [...this.#drawn_ms].toSorted(([, a], [, b]) => b - a);
    return most?.[0] ?? chooseDrawing(this.documents);
  }

  /** Milliseconds of the trace at a time of a document's clock. */
  timeOf(document: GameDocument, pageTime: number): number {
    return document.hello.origin + pageTime - (this.beganAt ?? 0);
  }

  /** `thread` identifies the thread on which the document runs. */
  add(kind: GameDocument['kind'], hello: GameDocument['hello'], thread: string): GameDocument {
    const document = new GameDocument(this.documents.length, kind, hello, thread, (record) =>
      this.#take(document, record),
    );
    this.documents.push(document);
    return document;
  }

  #take(document: GameDocument, record: KnownRecord): void {
    const drawing = chooseDrawing(this.documents);
    const isDrawing = document === (drawing ?? document);
    const isPage = document.index === 0 || isDrawing;
    if ((record.type === 'frames' || record.type === 'loss') && !isDrawing) return;
    if ((record.type === 'counter' || record.type === 'log') && !isPage) return;
    const t = roundMs(Math.max(0, record.t + this.timeOf(document, document.hello.began)));
    const isOnThread = document.thread === (drawing ?? document).thread;
    const own = isOnThread ? record : withoutMainThread(record);
    const moved = renamed({ ...own, t }, this.#shorten, document.index);
    if (moved.type !== 'frames') {
      this.#note(t);
      this.#put(moved);
      return;
    }
    const frames = framesAfter(moved, this.#framesEnd);
    if (frames === null) return;
    this.#count(document, frames);
    this.#put(frames);
  }

  #count(document: GameDocument, { t, duration_ms }: FramesRecord): void {
    const total = duration_ms.reduce((sum, ms) => sum + ms, 0);
    this.#framesEnd = t + total;
    const count = duration_ms.length;
    this.#drawn_ms.set(document, (this.#drawn_ms.get(document) ?? 0) + total);
    const { frames, hitches } = this.#counts;
    this.#counts = {
      duration_ms: Math.max(this.#counts.duration_ms, t + total),
      frames: frames + count,
      hitches: hitches + duration_ms.filter((ms) => isOverBudget(ms, DEFAULT_BUDGET_MS)).length,
      fps: total > 0 ? (1000 * count) / total : null,
    };
  }

  #note(t: number): void {
    this.#counts = { ...this.#counts, duration_ms: Math.max(this.#counts.duration_ms, t) };
  }
}

/** The frames that begin at `end` or later, so that frames of two documents never overlap. Null if there are none. */
function framesAfter(record: FramesRecord, end: number): FramesRecord | null {
  let { t } = record;
  let first = 0;
  while (first < record.duration_ms.length && t < end - 0.5) t += record.duration_ms[first++] ?? 0;
  if (first === 0) return record;
  if (first === record.duration_ms.length) return null;
  const rest: Record<string, unknown> = { ...record, t: roundMs(t) };
  for (const [key, value] of Object.entries(record)) {
    if (Array.isArray(value)) rest[key] = value.slice(first);
  }
  return rest as FramesRecord;
}

/** Work on another thread than that of the frames does not delay them, so it has no `main_thread_ms`. */
function withoutMainThread(record: KnownRecord): KnownRecord {
  if (record.type !== 'asset' || record.main_thread_ms === undefined) return record;
  const { main_thread_ms, ...rest } = record;
  return { duration_ms: main_thread_ms, ...rest };
}

/** Ids of assets are per document, so all but the first get a prefix. */
function renamed(
  record: KnownRecord,
  shorten: (text: string) => string,
  document: number,
): KnownRecord {
  switch (record.type) {
    case 'asset':
      return {
        ...record,
        id: document === 0 ? record.id : `${document}:${record.id}`,
        name: shorten(record.name),
      };
    case 'longtask':
      return record.scripts === undefined
        ? record
        : {
            ...record,
            scripts: record.scripts.map((script) => ({ ...script, name: shorten(script.name) })),
          };
    case 'stacks':
      return {
        ...record,
        names: record.names.map(shorten),
        ...(record.places !== undefined && { places: record.places.map(shorten) }),
      };
    case 'log':
      return { ...record, text: shorten(record.text) };
    default:
      return record;
  }
}
