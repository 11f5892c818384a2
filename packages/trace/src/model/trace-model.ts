// A whole trace in memory, for the viewer and the analysis. All lists and columns are sorted by time.
import type {
  AssetRecord,
  EndRecord,
  Header,
  LogRecord,
  LongTaskRecord,
  LossRecord,
  MarkRecord,
  NoteRecord,
  ReleaseRecord,
  Source,
  SpanRecord,
} from '../format/records.ts';
import type { StackTree } from '../stacks/stack-tree.ts';
import type { SampleTimes } from '../stacks/weigh-window.ts';

/** Samples of the target process. An absent value is NaN. */
export type ProcessColumns = {
  readonly source: Source;
  readonly t: Float64Array<ArrayBuffer>;
  readonly cpu_percent: Float64Array<ArrayBuffer>;
  readonly rss_bytes: Float64Array<ArrayBuffer>;
  readonly pss_bytes: Float64Array<ArrayBuffer>;
  readonly pss_cost_ms: Float64Array<ArrayBuffer>;
  readonly threads: Float64Array<ArrayBuffer>;
};

/** Frames of one source. `start_ms` ascends. An absent value is NaN. */
export type FrameColumns = {
  readonly source: Source;
  readonly start_ms: Float64Array<ArrayBuffer>;
  readonly duration_ms: Float64Array<ArrayBuffer>;
  readonly draws: Float64Array<ArrayBuffer>;
  readonly triangles: Float64Array<ArrayBuffer>;
  readonly gpu_ms: Float64Array<ArrayBuffer>;
  readonly main_ms: Float64Array<ArrayBuffer>;
};

/** The values of one counter of one source. */
export type CounterColumns = {
  readonly source: Source;
  readonly name: string;
  readonly unit: string;
  readonly t: Float64Array<ArrayBuffer>;
  readonly value: Float64Array<ArrayBuffer>;
};

/** The call tree of all samples of one source and unit, with the times of the samples. */
export type Stacks = {
  readonly source: Source;
  readonly tree: StackTree;
  /** Null for folded stacks, which have no times. */
  readonly times: SampleTimes | null;
  /**
   * Whether lists of functions have only those of the main thread, if the tree has one, because another thread delays no frame.
   * False for a native program whose frames are not recorded.
   */
  readonly main_only: boolean;
};

/** A record with its source. If the record has none, it is the only source of the header. */
export type Sourced<Record> = Record & { readonly source: Source };

export type TraceModel = {
  readonly header: Header;
  readonly process: readonly ProcessColumns[];
  readonly frames: readonly FrameColumns[];
  readonly counters: readonly CounterColumns[];
  readonly stacks: readonly Stacks[];
  readonly longtasks: readonly Sourced<LongTaskRecord>[];
  readonly assets: readonly Sourced<AssetRecord>[];
  readonly releases: readonly Sourced<ReleaseRecord>[];
  readonly spans: readonly Sourced<SpanRecord>[];
  readonly marks: readonly Sourced<MarkRecord>[];
  readonly logs: readonly Sourced<LogRecord>[];
  /** The latest version of each note, without those that were removed. */
  readonly notes: readonly NoteRecord[];
  readonly losses: readonly LossRecord[];
  readonly end: EndRecord | null;
  /** The number of records of unknown types. */
  readonly unknown_records: number;
  /** The latest end of a record; null if that is 0. */
  readonly duration_ms: number | null;
};
