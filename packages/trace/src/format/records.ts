// The record types of `.vpt` version 1: the specification of the format in code. docs/vpt.md is the specification in prose.
//
// Invariants of every record that a reader returns:
// - `t` is milliseconds since the start, 0 ≤ t ≤ LATEST_T_MS, at most three decimals. File order is write order, not time order.
// - A duration is a number of milliseconds from 0 to LATEST_T_MS, a percentage from 0 to the same number. A size is an integer from 0 to 2^53 − 1 in bytes.
// - A value that could not be measured is absent, never 0 (`null` in a column).
// - Strings are well-formed Unicode; a name is at most NAME_BYTES of UTF-8.
// - Columns of one record have the same length.
// - Keys that are not in this file stay on the object, unchanged.

/** The origin of a measurement: the agent, the browser collector, or an imported file of another format. */
export type Source = 'native' | 'browser' | 'import';
export const SOURCES: readonly Source[] = ['native', 'browser', 'import'];

/** The first line. `started_at` and `target.started_at` are ISO 8601 (writers use UTC), or null if unknown. */
export type Header = {
  readonly vpt: 1;
  readonly producer: { readonly name: string; readonly version: string };
  readonly started_at: string | null;
  /** At least one, without duplicates. If there is only one, records may omit `source`. */
  readonly sources: readonly Source[];
  readonly target?: {
    readonly pid: number;
    readonly name: string;
    readonly started_at: string | null;
  };
  /** The graphics adapter. `software`: it renders on the CPU (SwiftShader, llvmpipe, WARP), so its times are those of no real GPU. */
  readonly gpu?: { readonly name: string; readonly software: boolean };
  /** The machine of the recording. `max_mhz` is the highest clock that its CPU allows. */
  readonly machine?: {
    readonly cores: number;
    readonly cpu?: string;
    readonly max_mhz?: number;
    readonly memory_bytes?: number;
  };
  /** The recorded build. `digest` is the digest that `svc check` and the platform show. */
  readonly build?: { readonly digest: string };
};

type Timed<Type extends string> = {
  readonly type: Type;
  readonly t: number;
  readonly source?: Source;
};

/** One sample of the target process. CPU is in percent of one core: two full cores are 200. */
export type ProcessRecord = Timed<'process'> & {
  readonly cpu_percent?: number;
  readonly rss_bytes: number;
  readonly pss_bytes?: number;
  /** Age of the PSS value. */
  readonly pss_age_ms?: number;
  /** Time that reading the PSS value took. */
  readonly pss_cost_ms?: number;
  readonly threads?: number;
};

/** Consecutive frames; `t` is the start of the first. Writers put about one second of frames on a line. */
export type FramesRecord = Timed<'frames'> & {
  readonly duration_ms: readonly number[];
  readonly draws?: readonly (number | null)[];
  readonly triangles?: readonly (number | null)[];
  readonly gpu_ms?: readonly (number | null)[];
  /** The time that the page's main thread worked in the frame. */
  readonly main_ms?: readonly (number | null)[];
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

/** An integer ≥ 0 or a string. `1` and `"1"` are different ids. */
export type AssetId = number | string;

/**
 * One event of an asset, or `count` consecutive events. An asset is identified by its source and its id. `t` is the start of
 * the first event.
 */
export type AssetRecord = Timed<'asset'> & {
  readonly id: AssetId;
  readonly name: string;
  readonly kind: AssetKind;
  readonly phase: AssetPhase;
  /** Decoded size in main memory. For a file: the bytes read or mapped so far, at most its size. */
  readonly bytes?: number;
  /** Size of the encoded body. For a file: its size. */
  readonly encoded_bytes?: number;
  /** Bytes received over the network (with headers) or read from storage; 0 if the asset came from a cache. */
  readonly transfer_bytes?: number;
  readonly cached?: boolean;
  /** True if the browser hides sizes and times of this resource (cross-origin without permission). */
  readonly opaque?: boolean;
  readonly gpu_bytes?: number;
  readonly duration_ms?: number;
  /** The part of `duration_ms` that blocked the main thread. */
  readonly main_thread_ms?: number;
  /** Integers ≥ 0: width, height, depth or layers, mip levels; samples and channels for audio. */
  readonly dims?: readonly number[];
  readonly format?: string;
  /** The number of opens, reads or page faults in this record. */
  readonly count?: number;
  /** Bytes read or mapped by these events. Bytes that are read twice count twice. */
  readonly read_bytes?: number;
  /** True if the file was mapped into memory. Then `count` is page faults and `read_bytes` is whole pages. */
  readonly mapped?: boolean;
};

/** An integer: a number up to 2^53 − 1, a string of decimal digits beyond. */
export type Weight = number | string;

/**
 * Call stacks as a growing tree, and samples of its nodes. Ids are per source and continue from record to record: names get
 * the ids `first_name`, `first_name + 1`, …, nodes `first_node`, …. Each `first_*` is the number of ids defined so far.
 */
export type StacksRecord = Timed<'stacks'> & {
  readonly duration_ms?: number;
  readonly first_name: number;
  readonly names: readonly string[];
  /** The source position of each name, `URL:line:column` counted from 1, or "". */
  readonly places?: readonly string[];
  readonly first_node: number;
  /** The parent of each node: an earlier node, or −1 for a root. */
  readonly parents: readonly number[];
  readonly node_names: readonly number[];
  /** A lower-case word for each node, or "". Known words: those of FRAME_CATEGORIES and "unknown". */
  readonly categories?: readonly string[];
  /**
   * Per sample: its innermost node and its weight. With two counts, `weight` is the second and `before` the first. `at_ms` is
   * the time of the sample after `t`, with at most three decimals.
   */
  readonly samples: {
    readonly node: readonly number[];
    readonly weight: readonly Weight[];
    readonly before?: readonly Weight[];
    readonly at_ms?: readonly number[];
  };
  readonly unit: string;
  /** A power of ten, 1 if absent. The value of a weight is `weight / scale`. */
  readonly scale?: Weight;
};

/** A named interval. */
export type SpanRecord = Timed<'span'> & {
  readonly duration_ms: number;
  readonly name: string;
  readonly track?: string;
};

/** A named point in time. */
export type MarkRecord = Timed<'mark'> & { readonly name: string };

/**
 * Memory of an asset was freed, for example because a texture was deleted. The asset is one of earlier records. It may get
 * memory again: a later asset record then has its size.
 */
export type ReleaseRecord = Timed<'release'> & {
  readonly id: AssetId;
  /** The number of freed objects of the asset, if there were several. `t` is the time of the last. */
  readonly count?: number;
  /** What the asset still has in main memory afterwards; 0 if nothing. Absent if its size is not recorded. */
  readonly bytes?: number;
  /** What the asset still has on the GPU afterwards; 0 if nothing. Absent if its size is not recorded. */
  readonly gpu_bytes?: number;
};

/** A named value at a point in time. Reserved names: `js_heap_bytes`, `page_memory_bytes`, `gpu_bytes`, `io_read_bytes`. */
export type CounterRecord = Timed<'counter'> & {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
};

export type LogRecord = Timed<'log'> & { readonly level: string; readonly text: string };

/**
 * A person's note about a time, or their name for a time range. A later note with the same id replaces it, in file order; ids are
 * of the whole trace, and a note's `source` has no meaning. It is no measurement.
 */
export type NoteRecord = Timed<'note'> & {
  readonly id: AssetId;
  /** The first line is the title. An empty text removes the note. */
  readonly text: string;
  /** The length of the range; absent for a note about a point in time. */
  readonly duration_ms?: number;
};

/** An interval without data, and the reason. Views show a gap there. Without `source` it applies to all sources. */
export type LossRecord = Timed<'loss'> & {
  /** A lower-case word, for example `storage_cap`, `disk_full`, `hidden_tab`, `late_sampler`, `buffer_full`, `stacks_lost`, `probe_lost`. */
  readonly reason: string;
  readonly count?: number;
  readonly duration_ms?: number;
  /** The probe that lost data; absent if it was more than one. */
  readonly probe?: string;
};

/** A clean end, always the last line. A trace without it is partial. */
export type EndRecord = Timed<'end'> & { readonly reason: string };

/** All known record types. `record-rows.ts` has a row for each; the compiler reports every part that misses a type. */
export type RecordTypes = {
  readonly process: ProcessRecord;
  readonly frames: FramesRecord;
  readonly longtask: LongTaskRecord;
  readonly asset: AssetRecord;
  readonly release: ReleaseRecord;
  readonly stacks: StacksRecord;
  readonly span: SpanRecord;
  readonly mark: MarkRecord;
  readonly counter: CounterRecord;
  readonly log: LogRecord;
  readonly note: NoteRecord;
  readonly loss: LossRecord;
  readonly end: EndRecord;
};
export type RecordType = keyof RecordTypes;
export type KnownRecord = RecordTypes[RecordType];

/** A record whose lower-case type is unknown to this version. Readers keep it and views skip it. */
export type UnknownRecord = {
  readonly type: 'unknown';
  readonly t: number;
  readonly source?: Source;
  /** All fields of the line, with its own `type`. */
  readonly fields: Readonly<Record<string, unknown>>;
};

export type TraceRecord = KnownRecord | UnknownRecord;
