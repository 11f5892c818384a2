// The public types of the collector: what a game hands in and what it gets back. Imports nothing, so that the published
// type files stand alone.

/** What can be left out of a recording; everything is recorded by default. */
export type Parts = {
  /** Frame durations from `requestAnimationFrame`. */
  readonly frames?: boolean;
  /** Long animation frames, or long tasks where the browser has only those. */
  readonly longTasks?: boolean;
  /** JS heap once a second, and the page's memory where the page is cross-origin isolated. */
  readonly memory?: boolean;
  /** Loads, as the browser's resource timing tells them. */
  readonly resources?: boolean;
  /** Image decodes, and which URL an image or bitmap came from. */
  readonly images?: boolean;
  /** Audio decodes. */
  readonly audio?: boolean;
  /** Draw calls, triangles, uploads and shader work of WebGL 1 and 2. */
  readonly webgl?: boolean;
  /** The same of WebGPU. */
  readonly webgpu?: boolean;
  /** GPU time a frame by a WebGL timer query; steps aside when the game uses such queries itself. */
  readonly gpuTimer?: boolean;
};

/** Where batches also go while recording, so that a crash of the tab loses little. See `@svc/collector/spool`. */
export type Spool = {
  /** Takes the bytes of whole lines. Called about once a second, never awaited by the recording. */
  append(lines: Uint8Array): void;
  /** Called when the oldest lines were dropped to stay in the budget: their bytes. */
  dropOldest(bytes: number): void;
};

/** How to record. Every value that makes no sense is taken as left out. */
export type StartOptions = {
  /** Most bytes of trace kept in memory; 64 MiB where left out, at least 64 KiB. */
  readonly budgetBytes?: number;
  /** At the budget: drop the oldest batches (default), or stop recording. Either way the trace says what was lost. */
  readonly whenFull?: 'oldest' | 'stop';
  readonly parts?: Parts;
  readonly spool?: Spool;
};

/** The kinds of asset that the report tells apart. */
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

/** What a game says of an asset of its own. Sizes are integers in bytes, times milliseconds. */
export type AssetNote = {
  readonly name?: string;
  readonly kind?: AssetKind;
  /** The URL it was loaded from, where the collector cannot see that itself. */
  readonly url?: string;
  /** What happened to the asset just now; `named` where left out: nothing happened, it only got its name. */
  readonly phase?: 'load' | 'decode' | 'upload' | 'compile' | 'read' | 'named';
  readonly bytes?: number;
  readonly encodedBytes?: number;
  readonly durationMs?: number;
  /** How much of `durationMs` blocked the main thread. */
  readonly mainThreadMs?: number;
};

/** A stretch of time that runs until `end()`; a second `end()` does nothing. Works with `using`. */
export type Span = Disposable & { end(): void };

/** What the collector is doing. */
export type Status = {
  readonly state: 'idle' | 'recording' | 'stopped';
  /** Bytes of trace held now. */
  readonly bytes: number;
  /** Records written, those dropped later included. */
  readonly records: number;
  /** Records lost, by budget or by a buffer that was full. */
  readonly lost: number;
  /** What this browser or page does not offer, and why. The same stands in the trace. */
  readonly absent: readonly { readonly what: string; readonly why: string }[];
};
