// What a native probe is: the id that a person asks for, and a reader that makes trace records of its lines.
import type { TraceRecord } from '@svc/trace';
import type { PinnedProcess } from '../target/pin-process.ts';

export type ProbeId = 'stacks' | 'files';

/** What a reader works with while one capture runs. */
export type ProbeContext = {
  readonly process: PinnedProcess;
  /** Queues a record of the trace. */
  append(record: TraceRecord): void;
  /** Milliseconds since the start of the capture, of a time on CLOCK_MONOTONIC in nanoseconds; never below 0. */
  toTraceMs(monotonicNs: number): number;
};

/** Reads what a collector prints. All of it is hostile input: what makes no sense is skipped. */
export type ProbeReader = {
  /** From now on things are observed. */
  ready?(t: number): void;
  /** A line without its end, cut at LINE_CHARACTERS. */
  line(text: string): void;
  /** A second is over, and the lines before this are of it; `t` is trace time. */
  tick(t: number): void;
  /** No more lines come, whatever the reason: what is left is written now, or within half a second. */
  end(t: number): void | Promise<void>;
  /** A line of the collector's standard error; true where it is accounted for and no reason of an early end. */
  complaint?(text: string): boolean;
};

export type ProbeKind = {
  readonly id: ProbeId;
  open(context: ProbeContext): ProbeReader;
};
