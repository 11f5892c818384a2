// The record types of `.vpt` version 1. This file is the format's specification in code; docs/vpt.md is the same in prose.
//
// Invariants that hold for every record a reader hands out:
// - `t` is milliseconds since the start, 0 ≤ t ≤ LATEST_T_MS, at most three decimals. File order is write order, not time order.
// - A duration is a number of milliseconds from 0 to LATEST_T_MS, a percentage from 0 to the same number. A size is an integer from 0 to 2^53 − 1 in bytes.
// - A value that could not be measured is absent, never 0 (in a column: `null`).
// - Strings are well-formed Unicode; a name is at most NAME_BYTES of UTF-8.
// - Columns of one record have the same length.
// - Keys that this file does not name are kept on the object, untouched.

/** Who measured: the agent, the browser collector, or a file of another format. */
export type Source = 'native' | 'browser' | 'import';
export const SOURCES: readonly Source[] = ['native', 'browser', 'import'];

/** The first line. `started_at` and `target.started_at` are ISO 8601 (writers use UTC), or null where not known. */
export type Header = {
  readonly vpt: 1;
  readonly producer: { readonly name: string; readonly version: string };
  readonly started_at: string | null;
  /** At least one, each once. Where it names one, records may leave `source` out. */
  readonly sources: readonly Source[];
  readonly target?: {
    readonly pid: number;
    readonly name: string;
    readonly started_at: string | null;
  };
};

type Timed<Type extends string> = {
  readonly type: Type;
  readonly t: number;
  readonly source?: Source;
};

/** One sample of the target. CPU is percent of one core: two full cores are 200. */
export type ProcessRecord = Timed<'process'> & {
  readonly cpu_percent?: number;
  readonly rss_bytes: number;
  readonly pss_bytes?: number;
  /** How old the PSS value is. */
  readonly pss_age_ms?: number;
  /** How long its reading took. */
  readonly pss_cost_ms?: number;
  readonly threads?: number;
};

/** Frames one after the other; `t` is the start of the first. About a second of them a line. */
export type FramesRecord = Timed<'frames'> & {
  readonly duration_ms: readonly number[];
  readonly draws?: readonly (number | null)[];
  readonly triangles?: readonly (number | null)[];
  readonly gpu_ms?: readonly (number | null)[];
};

/** A long task or a long animation frame. */
export type LongTaskRecord = Timed<'longtask'> & {
  readonly duration_ms: number;
  readonly blocking_ms?: number;
  readonly scripts?: readonly { readonly name: string; readonly duration_ms: number }[];
};

export type AssetKind =
  | 'texture'
  | 'mesh'
  | 'audio'
  | 'shader'
  | 'script'
  | 'data'
  | 'video'
  | 'font'
  | 'other';
export const ASSET_KINDS: readonly AssetKind[] = [
  'texture',
  'mesh',
  'audio',
  'shader',
  'script',
  'data',
  'video',
  'font',
  'other',
];

export type AssetPhase = 'load' | 'decode' | 'upload' | 'compile' | 'read' | 'named';
export const ASSET_PHASES: readonly AssetPhase[] = [
  'load',
  'decode',
  'upload',
  'compile',
  'read',
  'named',
];

/** An integer ≥ 0 or a string; `1` and `"1"` are different. */
export type AssetId = number | string;

/**
 * One thing that happened to an asset, or `count` of them in a row. An asset's identity is its source and its id. `t` is the
 * start, of the first of them.
 */
export type AssetRecord = Timed<'asset'> & {
  readonly id: AssetId;
  readonly name: string;
  readonly kind: AssetKind;
  readonly phase: AssetPhase;
  /** Decoded size in main memory; of a file what has been read of it or mapped so far, at most its size. */
  readonly bytes?: number;
  /** Size of the encoded body; of a file its size. */
  readonly encoded_bytes?: number;
  /** What came over the wire, headers included, or from storage; 0 where it came from a cache. */
  readonly transfer_bytes?: number;
  readonly cached?: boolean;
  /** The browser hides sizes and times of this resource (another origin without permission). */
  readonly opaque?: boolean;
  readonly gpu_bytes?: number;
  readonly duration_ms?: number;
  /** How much of `duration_ms` blocked the main thread. */
  readonly main_thread_ms?: number;
  /** Integers ≥ 0: width, height, depth or layers, mip levels; samples or channels for audio. */
  readonly dims?: readonly number[];
  readonly format?: string;
  /** How many opens, reads or page faults this record tells of. */
  readonly count?: number;
  /** What they read or mapped, in bytes; reading it again counts again. */
  readonly read_bytes?: number;
  /** By a mapping into memory, not by calls that read: then `count` are page faults, and `read_bytes` whole pages. */
  readonly mapped?: boolean;
};

/** An integer: a safe number, beyond 2^53 − 1 its decimal digits. */
export type Weight = number | string;

/**
 * Call stacks as a growing tree, and samples of its nodes. Ids belong to the record's source and go on over its records:
 * names get `first_name`, `first_name + 1`, …, nodes `first_node`, …; each `first_*` is the number defined so far.
 */
export type StacksRecord = Timed<'stacks'> & {
  readonly duration_ms?: number;
  readonly first_name: number;
  readonly names: readonly string[];
  readonly first_node: number;
  /** A node's parent, earlier than itself; −1 is a root. */
  readonly parents: readonly number[];
  readonly node_names: readonly number[];
  /** A lower-case word a node, "" where none: "kernel", "jit", "inlined", "waker", "unknown" are known. */
  readonly categories?: readonly string[];
  /** One entry a sample: its innermost node, its weight (for two counts: after) and the weight before. */
  readonly samples: {
    readonly node: readonly number[];
    readonly weight: readonly Weight[];
    readonly before?: readonly Weight[];
  };
  readonly unit: string;
  /** A power of ten, 1 where left out: a weight's value is `weight / scale`. */
  readonly scale?: Weight;
};

/** Something that took time. */
export type SpanRecord = Timed<'span'> & {
  readonly duration_ms: number;
  readonly name: string;
  readonly track?: string;
};

/** A moment. */
export type MarkRecord = Timed<'mark'> & { readonly name: string };

/** A value at a time. Reserved names: `js_heap_bytes`, `page_memory_bytes`, `io_read_bytes`. */
export type CounterRecord = Timed<'counter'> & {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
};

export type LogRecord = Timed<'log'> & { readonly level: string; readonly text: string };

/** Where data is missing and why: a gap, never a line across it. Without a source it speaks of all. */
export type LossRecord = Timed<'loss'> & {
  /** A lower-case word: `storage_cap`, `disk_full`, `hidden_tab`, `late_sampler`, `buffer_full`, `stacks_lost`, `probe_lost`, or another. */
  readonly reason: string;
  readonly count?: number;
  readonly duration_ms?: number;
  /** The one probe of its source that lost something; left out where it is not one alone. */
  readonly probe?: string;
};

/** A clean end, always the last line. Without it the trace is partial. */
export type EndRecord = Timed<'end'> & { readonly reason: string };

export type KnownRecord =
  | ProcessRecord
  | FramesRecord
  | LongTaskRecord
  | AssetRecord
  | StacksRecord
  | SpanRecord
  | MarkRecord
  | CounterRecord
  | LogRecord
  | LossRecord
  | EndRecord;

/** A record of a lower-case type that this version does not know: kept, and skipped by every view. */
export type UnknownRecord = {
  readonly type: 'unknown';
  readonly t: number;
  readonly source?: Source;
  /** The line as it was, its own type included. */
  readonly fields: Readonly<Record<string, unknown>>;
};

export type TraceRecord = KnownRecord | UnknownRecord;
