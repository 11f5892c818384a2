// Reads the measures that Godot's editor exports as CSV. docs/vpt.md section 7 has their form.
import type { KnownRecord } from '../format/records.ts';
import { notAProfile } from '../profiles/conversion.ts';
import { cleanName } from '../vpt/clean-name.ts';
import { numberIn } from './column-names.ts';
import { FrameList, isFrameTime } from './frame-list.ts';
import { type FrameLog, type FrameLogReader, type Series, seriesRecords } from './frame-log.ts';
import { LongFrames, type Part } from './long-frames.ts';

/** The column of the frame time, which only the second of the two tables has. */
export const GODOT_FRAME_TIME = 'category_frame_time';
const PARTS: Readonly<Record<string, string>> = {
  process_time: 'process',
  idle_time: 'process',
  physics_time: 'physics',
};
/** A function of a script: `res://player.gd::12::_process`, with one more number in a script inside a scene. */
const FUNCTION = /^(.+?)(?:::\d+)?::(\d+)::([^:]+)$/;
/** The monitors that are neither sizes nor numbers. */
const MONITORS: Readonly<Record<string, Omit<Series, 'name'>>> = {
  'time/fps': { unit: 'fps' },
  'time/process': { unit: 'ms', scale: 1000 },
  'time/physics_process': { unit: 'ms', scale: 1000 },
  'time/navigation_process': { unit: 'ms', scale: 1000 },
};
const MEMORY = /^(?:memory|video)\//;
/** The editor samples the monitors once a second. */
const MONITOR_MS = 1000;
/** The most frames. The editor keeps at most 10,000. */
const FRAMES = 20_000;
/** The most samples of monitors: almost three hours. */
const MONITOR_ROWS = 10_000;

type Monitors = { readonly names: readonly string[]; readonly rows: (readonly number[])[] };

export class GodotLog implements FrameLogReader {
  #monitors: Monitors = { names: [], rows: [] };
  #names: readonly string[] = [];
  /** The column of the frame time. −1 before its table. */
  #frameTime = -1;
  readonly #rows: { readonly ms: number; readonly values: readonly number[] }[] = [];
  #unreadable = 0;

  row(cells: readonly string[]): void {
    const frameTime = cells.indexOf(GODOT_FRAME_TIME);
    if (frameTime >= 0) {
      this.#names = cells;
      this.#frameTime = frameTime;
    } else if (this.#frameTime >= 0) this.#takeFrame(cells);
    else if (cells[0] === 'time/fps') this.#monitors = { names: cells, rows: [] };
    else if (this.#monitors.rows.length < MONITOR_ROWS) {
      this.#monitors.rows.push(cells.slice(0, this.#monitors.names.length).map(numberIn));
    } else this.#unreadable++;
  }

  finish(): FrameLog {
    const rows = withoutTotal(this.#rows);
    const frames = new FrameList();
    const long = new LongFrames();
    const names = this.#names;
    for (const [row, { ms, values }] of rows.entries()) {
      frames.push({ time: Number.NaN, duration: ms });
      long.add(
        row,
        ms,
        values.map((seconds) => seconds * 1000),
      );
    }
    const starts = frames.starts('start', Number.NaN);
    const records: KnownRecord[] = [
      ...(rows.length === 0 ? [NO_FRAMES] : frames.records(starts)),
      ...long.records(starts, (column) => partOf(names[column] ?? '')),
      ...monitorRecords(this.#monitors, rows.length === 0 ? null : frames.end(starts)),
    ];
    if (records.every((record) => record === NO_FRAMES)) {
      throw notAProfile(
        'Cannot read the measures of Godot: they are empty. Start the Profiler in the Debugger panel, run the game, then export the measures as CSV again',
      );
    }
    return { header: { started_at: null }, records, torn: false, unreadable: this.#unreadable };
  }

  #takeFrame(cells: readonly string[]): void {
    const values = cells.slice(0, this.#names.length).map(numberIn);
    const ms = (values[this.#frameTime] ?? Number.NaN) * 1000;
    const isReadable = ms > 0 && isFrameTime(ms) && this.#rows.length < FRAMES;
    if (isReadable) this.#rows.push({ ms, values });
    else this.#unreadable++;
  }
}

const NO_FRAMES: KnownRecord = {
  type: 'log',
  t: 0,
  level: 'warn',
  text: 'The file has no frames, because the Profiler did not run. Start it in the Debugger panel of Godot, then export the measures again.',
};

/** When profiling stops, Godot may append the sum of all frames as one more row. */
function withoutTotal<Row extends { readonly ms: number }>(rows: readonly Row[]): readonly Row[] {
  const before = rows.slice(0, -1).reduce((sum, { ms }) => sum + ms, 0);
  const last = rows.at(-1)?.ms ?? 0;
  return rows.length > 2 && last >= before / 2 ? rows.slice(0, -1) : rows;
}

function partOf(name: string): Part | null {
  const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
  if (part !== undefined) return { name: part, track: 'main loop' };
  if (name.startsWith('categ::')) {
    return {
      name: cleanName(name.slice('categ::'.length).replaceAll('::', ' ')),
      track: 'servers',
      contain: true,
    };
  }
  const [, path, line, called] = FUNCTION.exec(name) ?? [];
  if (path === undefined) return null;
  const file = path.slice(path.lastIndexOf('/') + 1);
  return { name: cleanName(`${called} ${file}:${line}`), track: 'script functions', contain: true };
}

/** The monitors as counters, the last one at `end`. They have no times of their own; without frames, the first one is at 0. */
function monitorRecords({ names, rows }: Monitors, end: number | null): KnownRecord[] {
  const shown = end === null ? rows : rows.slice(-1 - Math.floor(end / MONITOR_MS));
  const first = end === null ? 0 : end - (shown.length - 1) * MONITOR_MS;
  const times = Float64Array.from(shown, (_, i) => first + i * MONITOR_MS);
  const seconds = shown.map((means, row) => ({ row, means }));
  return seriesRecords(seconds, times, (column) => monitorOf(names[column] ?? ''));
}

function monitorOf(name: string): Series {
  const known = Object.hasOwn(MONITORS, name) ? MONITORS[name] : undefined;
  return { name, ...(known ?? { unit: MEMORY.test(name) ? 'bytes' : 'count' }) };
}
