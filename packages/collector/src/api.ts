// The public types of the collector. Without imports, so that the published type files are self-contained.

/** The parts of a recording. By default all are recorded; `false` leaves one out. */
export type Parts = {
  /** Frame durations from `requestAnimationFrame`. */
  readonly frames?: boolean;
  /** Long animation frames, or long tasks in browsers without them. */
  readonly longTasks?: boolean;
  /**
   * The functions of the page, sampled every 10 ms. Only in Chromium, and only in a page that was loaded with the header
   * `Document-Policy: js-profiling`. By default they are recorded if the header `Server-Timing: js-profiling` announces this;
   * `true` tries it anyway, and the browser writes an error to the console if it is not allowed. Not in `@svc/collector/core`.
   */
  readonly functions?: boolean;
  /** The JS heap once per second, and the memory of the page if it is cross-origin isolated. */
  readonly memory?: boolean;
  /** Loads, from the browser's resource timing. */
  readonly resources?: boolean;
  /** Image decodes, and the URLs of images and bitmaps. */
  readonly images?: boolean;
  /** Audio decodes. */
  readonly audio?: boolean;
  /** Draw calls, triangles, uploads and shader work of WebGL 1 and 2. */
  readonly webgl?: boolean;
  /** The same for WebGPU. */
  readonly webgpu?: boolean;
  /** GPU time per frame by WebGL timer queries. Stops if the game uses such queries itself. */
  readonly gpuTimer?: boolean;
};

/** A second destination for the trace while recording, so that little is lost if the tab crashes. See `@svc/collector/spool`. */
export type Spool = {
  /** Stores the bytes of whole lines. Called about once per second; the recording does not wait for it. */
  append(lines: Uint8Array): void;
  /** Called with the size of the oldest lines when they were dropped to stay within the budget. */
  dropOldest(bytes: number): void;
};

/** Options of a recording. Invalid values are ignored. */
export type StartOptions = {
  /** Most bytes of trace in memory: 64 MiB by default, at least 64 KiB. */
  readonly budgetBytes?: number;
  /** When the budget is used up: drop the oldest data (default), or stop. Either way the trace states what was lost. */
  readonly whenFull?: 'oldest' | 'stop';
  readonly parts?: Parts;
  readonly spool?: Spool;
};

/** The kinds of assets in the report. */
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

/** Facts about an asset from the game. Sizes are integers in bytes, times are milliseconds. */
export type AssetNote = {
  readonly name?: string;
  readonly kind?: AssetKind;
  /** The URL it was loaded from, if the collector cannot detect it. */
  readonly url?: string;
  /** What just happened to the asset. The default `named` only sets its name and kind. */
  readonly phase?: 'load' | 'decode' | 'upload' | 'compile' | 'read' | 'named';
  readonly bytes?: number;
  readonly encodedBytes?: number;
  readonly durationMs?: number;
  /** The part of `durationMs` that blocked the main thread. */
  readonly mainThreadMs?: number;
};

/** An interval that lasts until `end()`. A second `end()` does nothing. Works with `using`. */
export type Span = Disposable & { end(): void };

/** The state of the collector. */
export type Status = {
  readonly state: 'idle' | 'recording' | 'stopped';
  /** Bytes of trace in memory. */
  readonly bytes: number;
  /** Records written, including those that were dropped later. Functions are written when the trace is exported. */
  readonly records: number;
  /** Records, and samples of functions, lost because the budget was used up or a buffer was full. */
  readonly lost: number;
  /** What cannot be recorded in this browser or page, and why. The trace contains the same. */
  readonly absent: readonly { readonly what: string; readonly why: string }[];
};
