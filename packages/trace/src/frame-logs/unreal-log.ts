// Reads a CSV profile of Unreal Engine. docs/vpt.md section 7 has its form.
import type { Header, KnownRecord, MarkRecord } from '../format/records.ts';
import { notAProfile } from '../profiles/conversion.ts';
import { cleanName } from '../vpt/clean-name.ts';
import { formatInstant } from '../vpt/field-checks.ts';
import { roundMs } from '../vpt/format-record.ts';
import { ColumnNames, numberIn } from './column-names.ts';
import { FrameList, isFrameTime, MOST_FRAMES } from './frame-list.ts';
import { type FrameLog, type FrameLogReader, type Series, seriesRecords } from './frame-log.ts';
import { LongFrames, type Part } from './long-frames.ts';
import { SecondMeans } from './second-means.ts';

const MIB = 2 ** 20;
/** `Exclusive/GameThread/Physics`: the time of a thread, without that of other parts. `AllWorkers` is a sum over threads. */
const EXCLUSIVE = /^Exclusive\/(?!AllWorkers\/)([^/]+)\/(.+)$/i;
const GPU = /^(GPU)\/(.+)$/i;
/** Columns that become counters: those of the whole program, and those of the rendering interface. */
const WHOLE = /^(?:RHI\/)?[^/]+$/;
/** The columns that are values of the frames. */
const IN_FRAMES = {
  duration: 'FrameTime',
  main: 'GameThreadTime',
  gpu: 'GPUTime',
  draws: 'RHI/DrawCalls',
  triangles: 'RHI/PrimitivesDrawn',
  events: 'EVENTS',
} as const;
const NOWHERE = { duration: -1, main: -1, gpu: -1, draws: -1, triangles: -1, events: -1 };
const RSS = 'PhysicalUsedMB';
/** The most columns. The engine writes some thousand. */
const COLUMNS = 8192;
/** The first key of the row at the end. */
export const END_KEY = /^\[HasHeaderRowAtEnd\]$/i;
/** An event may have the time since the start of the capture. */
const EVENT_TIME = /##(\d+(?:\.\d+)?)$/;
const MARKS = 100_000;

type Event = { readonly row: number; readonly text: string };

export class UnrealLog implements FrameLogReader {
  #names: readonly string[] = [];
  #at: Readonly<Record<keyof typeof IN_FRAMES, number>> = NOWHERE;
  /** Whether the capture ended, by its last row. */
  #hasEnd = false;
  /** The columns that are values of the frames. */
  #inFrames: ReadonlySet<number> = new Set();
  readonly #frames = new FrameList();
  readonly #means = new SecondMeans();
  readonly #long = new LongFrames();
  readonly #events: Event[] = [];
  readonly #about = new Map<string, string>();
  #unreadable = 0;

  row(cells: readonly string[]): void {
    // A frame may have an event with any text.
    const isFrame = isFrameTime(numberIn(cells[this.#at.duration]));
    if (isMetadata(cells, isFrame)) this.#readMetadata(cells);
    else if (!isFrame && cells.some((cell) => cell.toLowerCase() === 'frametime')) {
      this.#begin(cells);
    } else this.#take(cells);
  }

  finish(): FrameLog {
    if (this.#frames.length === 0) {
      throw notAProfile(
        'Cannot read the CSV profile of Unreal Engine: it has no frames. Capture again with "csvprofile start" and "csvprofile stop"',
      );
    }
    const starts = this.#frames.starts('start', Number.NaN);
    const records: KnownRecord[] = [
      ...this.#aboutRecord(),
      ...this.#frames.records(starts),
      ...this.#marks(starts),
      ...this.#long.records(starts, (column) => partOf(this.#names[column] ?? '')),
      ...seriesRecords(this.#means.finish(), starts, (column) =>
        this.#inFrames.has(column) ? null : seriesOf(this.#names[column] ?? ''),
      ),
    ];
    const header = { started_at: this.#startedAt() };
    return { header, records, torn: !this.#hasEnd, unreadable: this.#unreadable };
  }

  /** Takes a header. The last one in the file also has the columns that were added meanwhile, after the others. */
  #begin(names: readonly string[]): void {
    this.#names = names;
    const columns = new ColumnNames(names);
    const at = (name: string): number => columns.indexOf(name);
    this.#at = {
      duration: at(IN_FRAMES.duration),
      main: at(IN_FRAMES.main),
      gpu: at(IN_FRAMES.gpu),
      draws: at(IN_FRAMES.draws),
      triangles: at(IN_FRAMES.triangles),
      events: at(IN_FRAMES.events),
    };
    // A column that was added later is not in all frames, so it is a counter.
    if (this.#frames.length === 0) this.#inFrames = new Set(Object.values(this.#at));
    // Version 4.19 writes events in the last column, and nothing at the end.
    this.#hasEnd ||= names[0] !== 'EVENTS';
  }

  #take(cells: readonly string[]): void {
    const { main, gpu, draws, triangles, events } = this.#at;
    const duration = numberIn(cells[this.#at.duration]);
    if (!isFrameTime(duration) || this.#frames.length === MOST_FRAMES) {
      this.#unreadable++;
      return;
    }
    const row = this.#frames.length;
    this.#takeEvents(cells[events] ?? '', row);
    // The first frame has no time, and a time of 0 is missing.
    if (duration === 0) return;
    this.#frames.push({
      time: Number.NaN,
      duration,
      main_ms: numberIn(cells[main]) || Number.NaN,
      gpu_ms: numberIn(cells[gpu]) || Number.NaN,
      draws: numberIn(cells[draws]),
      triangles: numberIn(cells[triangles]),
    });
    const values = cells.slice(0, COLUMNS).map(numberIn);
    this.#means.add(row, duration, values);
    this.#long.add(row, duration, values);
  }

  #takeEvents(cell: string, row: number): void {
    for (const text of cell.split(';')) {
      if (text !== '' && this.#events.length < MARKS) this.#events.push({ row, text });
    }
  }

  #marks(starts: Float64Array): MarkRecord[] {
    const last = this.#frames.end(starts);
    return this.#events.map(({ row, text }) => {
      const [end, seconds] = EVENT_TIME.exec(text) ?? [''];
      const name = cleanName(end === '' ? text : text.slice(0, -end.length));
      const t = seconds === undefined ? (starts[row] ?? last) : Number(seconds) * 1000;
      return { type: 'mark', t: roundMs(t), name };
    });
  }

  /** Pairs of a key in brackets and its value, up to the command line, which has commas of its own and is not read. */
  #readMetadata(cells: readonly string[]): void {
    this.#hasEnd = true;
    for (let i = 0; i + 1 < cells.length; i += 2) {
      const key = (cells[i] ?? '').slice(1, -1).toLowerCase();
      if (key === 'commandline') return;
      this.#about.set(key, cells[i + 1] ?? '');
    }
  }

  #startedAt(): Header['started_at'] {
    const seconds = numberIn(this.#about.get('starttimestamp'));
    return seconds > 0 ? formatInstant(seconds * 1000) : null;
  }

  /** The version, the configuration and the system, which say how to judge the numbers. */
  #aboutRecord(): KnownRecord[] {
    const known = ['engineversion', 'config', 'platform'].flatMap(
      (key) => this.#about.get(key) || [],
    );
    if (known.length === 0) return [];
    return [
      { type: 'log', t: 0, level: 'info', text: cleanName(`Unreal Engine ${known.join(', ')}`) },
    ];
  }
}

/** Whether a row describes the capture, as the one at the end does. */
function isMetadata([first = '']: readonly string[], isFrame: boolean): boolean {
  return END_KEY.test(first) || (!isFrame && first.startsWith('[') && first.endsWith(']'));
}

function partOf(name: string): Part | null {
  const [, track, part] = EXCLUSIVE.exec(name) ?? GPU.exec(name) ?? [];
  return track === undefined || part === undefined
    ? null
    : { name: cleanName(part), track: cleanName(track) };
}

function seriesOf(name: string): Series | null {
  if (!WHOLE.test(name) || name === 'MaxFrameTime') return null;
  if (name.endsWith('MB')) {
    return { name: name.slice(0, -2), unit: 'bytes', scale: MIB, rss: name === RSS };
  }
  if (/Time(_CriticalPath)?$/.test(name)) return { name, unit: 'ms' };
  return { name, unit: name.startsWith('CPUUsage') ? '%' : 'count' };
}
