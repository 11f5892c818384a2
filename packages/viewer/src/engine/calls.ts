// What the page asks the worker and what it gets: one table of calls, each with its arguments and its result.
import type { AssetReport, TraceError } from '@svc/trace';
import type { TimeRange } from '../draw/time-axis.ts';
import type { AnalysisView } from '../views/analysis/derive-analysis.ts';
import type { FramesOfSource } from '../views/frames/derive-frames.ts';
import type { MomentView } from '../views/moment/derive-moment.ts';
import type { StackQuery } from '../views/stacks/derive/query.ts';
import type { FlamePalette, FlameView } from '../views/stacks/draw/flame-view.ts';
import type { Timeline } from '../views/timeline/timeline-data.ts';

/** The trace that is looked at, and the one it is compared with. */
export type Slot = 'main' | 'other';

/** Where a trace's bytes come from: a file of the person's, or the agent's retained trace. */
export type TraceOrigin =
  | { readonly kind: 'file'; readonly file: Blob; readonly name: string }
  | {
      readonly kind: 'agent';
      readonly token: string;
      readonly name: string;
      /** Whether a capture is adding to it: then its end is not looked for yet. */
      readonly growing: boolean;
    };

/** How many records of each type a trace holds; only types that occur. */
export type RecordCounts = Readonly<Record<string, number>>;

/** What there is to say about an opened trace before any view of it. */
export type TraceInfo = {
  readonly name: string;
  readonly origin: 'file' | 'agent';
  readonly format: 'vpt' | 'folded';
  readonly producer: string | null;
  readonly target: string | null;
  readonly sources: readonly string[];
  /** ISO time or null. */
  readonly startedAt: string | null;
  readonly records: number;
  readonly counts: RecordCounts;
  readonly bytes: number;
  readonly durationMs: number;
  /** No clean end: still growing, killed or torn. */
  readonly partial: boolean;
  /** Why the recording was cut short, else null. */
  readonly truncated: string | null;
  /** Samples whose inner frames this page had no room for. */
  readonly leftOutSamples: number;
  readonly endReason: string | null;
  readonly tornBytes: number;
  readonly skipped: readonly { readonly line: number; readonly reason: string }[];
  readonly skippedLines: number;
  /** Whether its samples have two weights. */
  readonly twoWeights: boolean;
  /** Grows when the trace does. */
  readonly revision: number;
};

/** Why a call failed; `line` and `column` where text did not parse, in bytes and from 1. */
export type Fault = {
  readonly code: TraceError['code'] | 'aborted' | 'agent' | 'failed' | 'too_big';
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
};

type Call<Args, Result> = { readonly args: Args; readonly result: Result };

/** Every call by name. */
export type Calls = {
  /** Reads a trace into a slot; what was there before stays until the new one is read whole. */
  readonly open: Call<{ readonly slot: Slot; readonly origin: TraceOrigin }, TraceInfo>;
  /** Reads what the agent's trace has grown by since; null where nothing new is there. */
  readonly grow: Call<{ readonly token: string; readonly growing: boolean }, TraceInfo | null>;
  readonly close: Call<{ readonly slot: Slot }, null>;
  readonly timeline: Call<{ readonly slot: Slot }, Timeline>;
  /** The cost report, of a stretch of time or of all; without `most` it lists every asset. */
  readonly assets: Call<
    {
      readonly slot: Slot;
      readonly range: TimeRange | null;
      readonly budgetMs: number;
      readonly most?: number;
    },
    AssetReport
  >;
  /** What the offline rules find, and the summary that a provider may be sent. */
  readonly analysis: Call<{ readonly slot: Slot; readonly budgetMs: number }, AnalysisView>;
  /** Statistics, histogram and hitches of each source, of a stretch of time or of all. */
  readonly frames: Call<
    { readonly slot: Slot; readonly range: TimeRange | null; readonly budgetMs: number },
    readonly FramesOfSource[]
  >;
  /** What fell into a stretch of time. */
  readonly moment: Call<{ readonly slot: Slot; readonly range: TimeRange }, MomentView>;
  readonly stackGroups: Call<{ readonly slot: Slot }, readonly StackGroupInfo[]>;
  /** Gives a canvas to the worker, which draws on it from then on under this name. */
  readonly attachCanvas: Call<{ readonly canvas: string; readonly surface: OffscreenCanvas }, null>;
  readonly detachCanvas: Call<{ readonly canvas: string }, null>;
  /** Decides what a canvas and its overview show. */
  readonly flame: Call<{ readonly canvas: string; readonly scene: SceneRequest }, FlameInfo>;
  /** Draws; comes as often as the view changes, and is answered when it is drawn. */
  readonly drawFlame: Call<
    { readonly canvas: string; readonly view: FlameView; readonly palette: FlamePalette | null },
    null
  >;
  readonly searchFlame: Call<{ readonly canvas: string; readonly pattern: string }, SearchInfo>;
  readonly hitFlame: Call<
    { readonly canvas: string; readonly row: number; readonly x: number },
    BoxInfo | null
  >;
  readonly nearFlame: Call<
    { readonly canvas: string; readonly box: number; readonly to: Neighbour },
    BoxInfo | null
  >;
  /** A box of the scene before, after the scene has grown; in the order of recording it is where it was, else found by its path. */
  readonly refindFlame: Call<
    { readonly canvas: string; readonly box: BoxInfo; readonly ordered: boolean },
    BoxInfo | null
  >;
  /** All boxes in a view that are wide enough to be seen, for an export. */
  readonly flameBoxes: Call<
    { readonly canvas: string; readonly view: FlameView },
    readonly SeenBox[]
  >;
  readonly functions: Call<{ readonly slot: Slot; readonly query: StackQuery }, FunctionTable>;
  /** The call tree's roots and, below each that is open, its children, heaviest first. `open` are keys of rows. */
  readonly treeRows: Call<
    { readonly slot: Slot; readonly query: StackQuery; readonly open: readonly string[] },
    TreeRows
  >;
  readonly diffFunctions: Call<{ readonly before: DiffSide; readonly after: DiffSide }, DiffTable>;
  /** The trace as `.vpt`: the very bytes it came in, or converted. */
  readonly vpt: Call<{ readonly slot: Slot }, Blob>;
};

/** Stacks of one source that count the same. */
export type StackGroupInfo = {
  readonly id: string;
  readonly source: string;
  readonly unit: string;
  readonly samples: number;
  /** Of the tree that is held, and how many samples end where it is cut. */
  readonly nodes: number;
  readonly leftOutSamples: number;
  readonly twoWeights: boolean;
  readonly timed: boolean;
};

/** One side of a comparison. */
export type DiffSide = { readonly slot: Slot; readonly query: StackQuery };

/** What the boxes of a differential graph are as wide as. */
export type DiffWidth = 'after' | 'before' | 'larger';

/** What a flame canvas shows. */
export type SceneRequest =
  | { readonly kind: 'merged' | 'recorded'; readonly slot: Slot; readonly query: StackQuery }
  | {
      readonly kind: 'callers';
      readonly slot: Slot;
      readonly query: StackQuery;
      readonly name: string;
    }
  | {
      readonly kind: 'callees';
      readonly slot: Slot;
      readonly query: StackQuery;
      readonly name: string;
    }
  | {
      readonly kind: 'diff';
      readonly before: DiffSide;
      readonly after: DiffSide;
      readonly width: DiffWidth;
    };

export type FlameInfo = {
  readonly rows: number;
  readonly boxes: number;
  /** The width of everything, in the unit. */
  readonly span: number;
  readonly total: number;
  /** What the whole group weighs, without range and patterns; exact in the text. */
  readonly whole: number;
  readonly wholeText: string;
  readonly unit: string;
  /** Which categories occur: indices of FRAME_CATEGORIES. */
  readonly categories: readonly number[];
  /** Why another picture than the one asked for is shown. */
  readonly instead: string | null;
};

/** A box of a flame graph, for people. */
export type BoxInfo = {
  readonly box: number;
  readonly row: number;
  readonly x0: number;
  readonly x1: number;
  readonly name: string;
  readonly category: string;
  readonly self: number;
  readonly total: number;
  /** Of the sum of what is shown. */
  readonly share: number;
  /** From the root to the box, as in a folded file: names with the suffix of their category. */
  readonly path: readonly string[];
  /** In a differential graph: both totals. */
  readonly before: number | null;
  readonly after: number | null;
  readonly beforeShare: number | null;
  readonly afterShare: number | null;
  /** Its palette index, as drawn without a search. */
  readonly paint: number;
};

export type Neighbour =
  | 'parent'
  | 'child'
  | 'next'
  | 'previous'
  | 'first'
  | 'next_match'
  | 'previous_match';

/** Position in CSS pixels of the view. */
export type SeenBox = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly name: string;
  /** An index of the palette. */
  readonly paint: number;
};

/** `share` is the part of all weight that lies in or under a match. */
export type SearchInfo = { readonly boxes: number; readonly share: number };

/**
 * Columns by function, heaviest first; `total` counts a function that calls itself once. `leftOut` counts the lightest,
 * which are not listed.
 */
export type FunctionTable = {
  readonly names: readonly string[];
  readonly categories: readonly string[];
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly sum: number;
  readonly whole: number;
  readonly unit: string;
  readonly leftOut: number;
};

/** `leftOut` counts the lightest children of open rows, which are not listed. */
export type TreeRows = { readonly rows: readonly TreeRow[]; readonly leftOut: number };

export type TreeRow = {
  /** The names from the root on: stays the same while a trace grows. */
  readonly key: string;
  /** Of the row above that this one is a child of; empty for a root. */
  readonly parent: string;
  /** 1 for a root. */
  readonly level: number;
  /** From 1, among its siblings. */
  readonly place: number;
  readonly siblings: number;
  readonly open: boolean;
  readonly name: string;
  readonly category: string;
  readonly self: number;
  readonly total: number;
  readonly share: number;
  readonly children: number;
};

/** Columns by function of two trees, the largest change of share first. */
export type DiffTable = {
  readonly names: readonly string[];
  readonly selfBefore: Float64Array;
  readonly selfAfter: Float64Array;
  readonly totalBefore: Float64Array;
  readonly totalAfter: Float64Array;
  readonly sumBefore: number;
  readonly sumAfter: number;
  readonly unit: string;
};

export type CallName = keyof Calls;

/** From the page. */
export type ToWorker =
  | { readonly id: number; readonly name: CallName; readonly args: unknown }
  | { readonly cancel: number };

/** From the worker. Progress is in bytes; `total` is null where it is not known. */
export type FromWorker =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly fault: Fault }
  | { readonly id: number; readonly done: number; readonly total: number | null };
