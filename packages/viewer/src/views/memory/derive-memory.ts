// Derives what leaks: the answer, what each load leaves, the assets that are alive at the end, and the trends. Pure.
import {
  type AliveAsset,
  growingAssetText,
  leakAnswer,
  leakNotes,
  leaksOf,
  type MemoryTrend,
  memoryTrends,
  type RepeatGrowth,
  repeatText,
  stepText,
  type TraceModel,
} from '@svc/trace';
import type { Slot } from '../../client/trace-calls.ts';
import type { Call } from '../../client/worker-messages.ts';

/** A span or mark that occurs several times, such as the load of a level. */
export type RepeatView = {
  readonly name: string;
  /** What each occurrence leaves, as a sentence. */
  readonly text: string;
  readonly leaks: boolean;
  /** The assets and the memory series that grow with it, a line each. */
  readonly assets: readonly string[];
  readonly series: readonly string[];
  /** The latest occurrences. `count` is the number of all. */
  readonly loads: RepeatGrowth['loads'];
  readonly count: number;
};

export type MemoryView = {
  /** The answer in words, and what is missing for a better one. */
  readonly answer: string;
  readonly notes: readonly string[];
  readonly trends: readonly MemoryTrend[];
  /** Leaking ones first. `repeatCount` is the number of all. */
  readonly repeats: readonly RepeatView[];
  readonly repeatCount: number;
  /** The largest first. Null if the trace does not record releases. `count` is the number of all. */
  readonly alive: {
    readonly assets: readonly AliveAsset[];
    readonly count: number;
    readonly gpu_bytes: number;
  } | null;
};

export type MemoryCalls = {
  /** Returns what the whole trace shows about memory that is never released. */
  readonly memory: Call<{ readonly slot: Slot }, MemoryView>;
};

/** The maximum lengths of the lists. */
const ALIVE = 2000;
const REPEATS = 20;
const LOADS = 100;
const GROWING = 10;

export function deriveMemory(model: TraceModel): MemoryView {
  const leaks = leaksOf(model);
  const { alive, repeats } = leaks;
  return {
    answer: leakAnswer(leaks),
    notes: leakNotes(leaks),
    trends: memoryTrends(model),
    repeats: repeats.slice(0, REPEATS).map(repeatView),
    repeatCount: repeats.length,
    alive: alive && {
      assets: alive.assets.slice(0, ALIVE),
      count: alive.assets.length,
      gpu_bytes: alive.gpu_bytes,
    },
  };
}

function repeatView(repeat: RepeatGrowth): RepeatView {
  const { name, leaks, assets, series, loads } = repeat;
  return {
    name,
    text: repeatText(repeat),
    leaks,
    assets: assets.slice(0, GROWING).map(growingAssetText),
    series: series.filter(({ grows }) => grows).map(stepText),
    loads: loads.slice(-LOADS),
    count: loads.length,
  };
}
