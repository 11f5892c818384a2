// The sentences about memory that is never released. The command line and the viewer show the same ones.
import { FEWEST_SAMPLES, SHORTEST_MS } from '../facts/memory-growth.ts';
import { bytesText } from '../facts/number-text.ts';
import type { GrowingAsset } from './growing-assets.ts';
import type { AliveAsset, Leaks, SeriesGrowth } from './leaks.ts';
import type { MedianInterval } from './median-interval.ts';
import {
  growthRank,
  LEAST_ASSET_BYTES,
  type RepeatGrowth,
  type SeriesStep,
} from './repeat-growth.ts';

/** The assets that an answer names. */
const NAMED_ASSETS = 2;

/** The answer in one to three sentences: what leaks, or that nothing does, or that the trace does not show it. */
export function leakAnswer(leaks: Leaks): string {
  const { repeats, series, alive } = leaks;
  const [first] = repeats;
  if (first?.leaks === true) return `${repeatText(first)}${mostlyText(first.assets)}`;
  const [stepping] = repeats
    .filter(({ series: steps }) => steps.some(({ grows }) => grows))
    .toSorted((a, b) => growthRank(b, mostGrowth(b)) - growthRank(a, mostGrowth(a)));
  if (stepping !== undefined) return seriesStepsText(stepping);
  const growing = series.filter(({ growth }) => growth?.grows === true);
  const [steepest] = growing.toSorted((a, b) => slopeOf(b) - slopeOf(a));
  if (steepest !== undefined) return seriesText(steepest);
  if (alive === null && isNative(leaks)) {
    return series.some(({ growth }) => growth !== null)
      ? 'The memory of the process does not keep growing.'
      : 'The recording is too short to show whether the memory of the process grows.';
  }
  if (alive === null) {
    return 'This trace does not record releases, so it does not show which assets leak.';
  }
  const compared = repeats.find(({ gpu }) => gpu !== null);
  if (compared !== undefined) return repeatText(compared);
  if (alive.assets.length === 0) return 'Nothing leaks: no asset has GPU memory at the end.';
  return `${counted(alive.assets.length, 'asset')} with ${bytesText(alive.gpu_bytes)} of GPU memory ${alive.assets.length === 1 ? 'is' : 'are'} alive at the end. The game may still use ${alive.assets.length === 1 ? 'it' : 'them'}: a leak shows when the same level is loaded several times.`;
}

/** What the trace lacks for a better answer, and how to get it. Empty if nothing is missing. */
export function leakNotes(leaks: Leaks): string[] {
  const { records_releases, repeats, series, start_is_lost } = leaks;
  const notes: string[] = [];
  if (!records_releases && !isNative(leaks)) {
    notes.push(
      'To see which assets are never released, record the browser game with svc record or the collector. They record each texture and buffer of WebGL and WebGPU that the game deletes.',
    );
  }
  if (records_releases && repeats.length === 0) {
    notes.push(
      "No span or mark occurs twice with a second in between, so no loads can be compared. Put each load into a span, svc.span('load level', 'loading') … .end(), and load the level three times.",
    );
  }
  if (series.length > 0 && series.every(({ growth }) => growth === null)) {
    notes.push(
      `The recording is too short for the growth per minute. It needs ${FEWEST_SAMPLES} samples over ${SHORTEST_MS / 1000} s after the start, so record for at least a minute.`,
    );
  }
  if (start_is_lost) {
    notes.push(
      'The start of the recording was dropped to save memory, so assets from then are missing. Start it with a larger budgetBytes.',
    );
  }
  return notes;
}

/** Whether only a native process was measured, which has no releases to record. */
function isNative({ series }: Leaks): boolean {
  return series.length > 0 && series.every(({ source }) => source === 'native');
}

/** What each occurrence leaves on the GPU, with the evidence. */
export function repeatText({ name, loads, gpu, leaks }: RepeatGrowth): string {
  const what = `“${name}”`;
  if (gpu === null) return `${what} occurred ${loads.length} times.`;
  if (leaks)
    return `Each ${what} leaves ${bytesText(gpu.median)} of GPU memory (${evidenceText(gpu)}).`;
  if (gpu.count === 1 && gpu.median > 0) {
    return `The second ${what} left ${bytesText(gpu.median)} more GPU memory than the first. Repeat it a third time to see whether each one does.`;
  }
  if (gpu.high <= 0) return `${what} leaves no GPU memory (${evidenceText(gpu)}).`;
  if (gpu.low > 0) {
    return `Each ${what} leaves only ${bytesText(gpu.median)} of GPU memory (${evidenceText(gpu)}). Less than ${bytesText(LEAST_ASSET_BYTES)} does not count as a leak.`;
  }
  return `${what} does not leave GPU memory each time (${evidenceText(gpu)}).`;
}

/** The largest growth of a memory series with each occurrence, in bytes; 0 if none grows. */
function mostGrowth({ series }: RepeatGrowth): number {
  return Math.max(0, ...series.filter(({ grows }) => grows).map(({ each }) => each.median));
}

/** The memory series that grow with each occurrence. */
function seriesStepsText({ name, series }: RepeatGrowth): string {
  const growing = series.filter(({ grows }) => grows);
  return `Each “${name}” leaves memory: ${growing.map(stepText).join(', ')}.`;
}

/** `RSS +18.0 MiB (3 comparisons, 17 to 19 MiB, 75 % confidence)`. */
export function stepText({ label, each }: SeriesStep): string {
  return `${label} ${signed(each.median)} (${evidenceText(each)})`;
}

/** `texture 512×512 RGBA8: +1.0 MiB each time, 3.0 MiB since the first, 3 assets`. */
export function growingAssetText({ name, each, total_bytes, assets }: GrowingAsset): string {
  return `${name}: ${signed(each.median)} each time, ${bytesText(total_bytes)} since the first, ${counted(assets, 'asset')}`;
}

/** The growth of a series by time, with its interval. */
export function seriesText({ label, growth }: SeriesGrowth): string {
  if (growth === null) return `${label}: too few samples for its growth.`;
  const { slope, low, high } = growth.slope_per_minute;
  const interval = `95 % interval ${signed(low)} to ${signed(high)}`;
  const verb = growth.grows ? 'keeps growing' : 'does not keep growing';
  return `${label} ${verb}: ${signed(slope)} a minute (${interval}).`;
}

/** The size of an asset that is alive, and since when. */
export function aliveText({ name, gpu_bytes, first_ms, releases }: AliveAsset): string {
  const released = releases > 0 ? `, ${counted(releases, 'object')} released before` : '';
  return `${name}: ${bytesText(gpu_bytes)} since ${Math.round(first_ms / 100) / 10} s${released}`;
}

function mostlyText(assets: readonly GrowingAsset[]): string {
  if (assets.length === 0) return '';
  const named = assets.slice(0, NAMED_ASSETS).map(({ name, each, total_bytes }) => {
    const growth =
      each.low > 0 ? `${bytesText(each.median)} each` : `${bytesText(total_bytes)} since the first`;
    return `${name} (${growth})`;
  });
  return ` Most of it: ${named.join(', ')}.`;
}

/** The number of comparisons, their interval and its confidence. */
function evidenceText({ count, low, high, confidence }: MedianInterval): string {
  const comparisons = counted(count, 'comparison');
  const [from, to] = [signed(low), signed(high)];
  if (from === to) return `${comparisons}, ${from} each`;
  return `${comparisons}, ${Math.floor(confidence * 100)} % interval ${from} to ${to}`;
}

function slopeOf({ growth }: SeriesGrowth): number {
  return growth?.slope_per_minute.slope ?? 0;
}

function signed(bytes: number): string {
  return `${bytes > 0 ? '+' : ''}${bytesText(bytes)}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
