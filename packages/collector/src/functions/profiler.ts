// The part of JS Self-Profiling that the collector uses. Missing in the DOM library's types.

/** The result of a profiler. Times are on the page's clock, lines and columns count from 1. */
export type Profile = {
  /** URLs of scripts. */
  readonly resources: readonly string[];
  readonly frames: readonly {
    readonly name: string;
    readonly resourceId?: number;
    readonly line?: number;
    readonly column?: number;
  }[];
  readonly stacks: readonly { readonly frameId: number; readonly parentId?: number }[];
  /** In order of time. A sample without a stack found no function of the page. */
  readonly samples: readonly { readonly timestamp: number; readonly stackId?: number }[];
};

/** Samples the functions of the page from its creation until `stop`, or until its buffer is full. */
export type Profiler = EventTarget & {
  /** The interval that the browser chose, in ms. */
  readonly sampleInterval: number;
  stop(): Promise<Profile>;
};

export type ProfilerClass = new (options: {
  readonly sampleInterval: number;
  readonly maxBufferSize: number;
}) => Profiler;
