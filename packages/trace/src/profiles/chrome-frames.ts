// The frames of a page in a Chrome trace.
import type { FramesRecord } from '../format/records.ts';
import type { TimeCover } from '../times/time-cover.ts';
import { roundMs } from '../vpt/format-record.ts';
import type { ChromeThread } from './chrome-thread.ts';

/** A page that asks for no frame for this long is paused. The pause is not a frame. */
const PAUSE_US = 500_000;
/** Callbacks with less time between them belong to one frame, if Chrome did not record the starts of frames. */
const SAME_FRAME_US = 1000;
/** Drawn frames further apart are a pause: there is no record of whether the page wanted to draw. */
const DRAW_PAUSE_US = 1_000_000;
/** The most time, and the most frames, in one record. */
const RECORD_US = 1_000_000;
const RECORD_FRAMES = 1000;

/** Runs of frames: the start of each frame and the end of the last, in µs. */
type Runs = readonly (readonly number[])[];

/**
 * The frames of the main thread, as `frames` records with times after `origin`. A frame begins with the first callback of
 * `requestAnimationFrame` and lasts until the next one, as in a recording of the collector. A page without such callbacks, for
 * example one that draws in a worker, has the frames that its compositor drew: `draws`. `main_ms` is the time in tasks, if Chrome
 * recorded them.
 */
export function framesOf(
  main: ChromeThread,
  draws: readonly number[],
  origin: number,
): FramesRecord[] {
  const starts = frameStarts(main);
  const runs = starts.length > 1 ? runsOfPage(starts, main) : runsOfDraws(draws);
  const { work } = main;
  return runs.flatMap((run) => recordsOf(run, origin, work));
}

/** The number of frames of a thread, to find the page that was recorded. */
export function frameStarts({ callbacks, begins }: ChromeThread): number[] {
  const order = Uint32Array.from({ length: callbacks.ts.length }, (_, i) => i);
  order.sort((a, b) => (callbacks.ts.values[a] ?? 0) - (callbacks.ts.values[b] ?? 0));
  const sortedBegins = begins.trimmed().sort();
  const starts: number[] = [];
  let begin = 0;
  let lastEnd = Number.NEGATIVE_INFINITY;
  for (const i of order) {
    const ts = callbacks.ts.values[i] ?? 0;
    const before = begin;
    while (begin < sortedBegins.length && (sortedBegins[begin] ?? 0) <= ts) begin++;
    const isNew = sortedBegins.length > 0 ? begin > before : ts - lastEnd > SAME_FRAME_US;
    if (isNew || starts.length === 0) starts.push(ts);
    lastEnd = ts + (callbacks.dur.values[i] ?? 0);
  }
  return starts;
}

function runsOfPage(starts: readonly number[], { requests }: ChromeThread): Runs {
  const sorted = requests.trimmed().sort();
  let next = 0;
  return splitAt(starts, (start, end) => {
    if (sorted.length === 0) return false;
    while (next < sorted.length && (sorted[next] ?? 0) < start) next++;
    const requested = sorted[next] ?? Number.POSITIVE_INFINITY;
    return Math.min(requested, end) - start > PAUSE_US;
  });
}

function runsOfDraws(draws: readonly number[]): Runs {
  return splitAt(
    draws.toSorted((a, b) => a - b),
    (start, end) => end - start > DRAW_PAUSE_US,
  );
}

/** Splits ascending times where `isPause` of two neighbours. */
function splitAt(
  times: readonly number[],
  isPause: (start: number, end: number) => boolean,
): number[][] {
  const runs: number[][] = [];
  for (const [i, time] of times.entries()) {
    const before = times[i - 1];
    if (before === undefined || isPause(before, time)) runs.push([]);
    runs.at(-1)?.push(time);
  }
  return runs;
}

function recordsOf(run: readonly number[], origin: number, work: TimeCover | null): FramesRecord[] {
  const records: { t: number; duration_ms: number[]; main_ms?: number[] }[] = [];
  let first = Number.NEGATIVE_INFINITY;
  for (const [i, start] of run.entries()) {
    const end = run[i + 1];
    if (end === undefined || start < origin) continue;
    const isFull = records.at(-1)?.duration_ms.length === RECORD_FRAMES;
    if (start - first >= RECORD_US || isFull) {
      const t = roundMs((start - origin) / 1000);
      records.push({ t, duration_ms: [], ...(work && { main_ms: [] }) });
      first = start;
    }
    const record = records.at(-1);
    record?.duration_ms.push(roundMs((end - start) / 1000));
    if (work !== null) record?.main_ms?.push(roundMs(work.within(start, end) / 1000));
  }
  return records.map((record) => ({ type: 'frames', ...record }));
}
