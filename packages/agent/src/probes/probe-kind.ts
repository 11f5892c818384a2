// The interface of a native probe: its id, and a reader that turns its lines into trace records.
import type { TraceRecord } from '@svc/trace';
import type { LinuxProcess } from '../target/pin-process.ts';

/** The probes that exist. `frames` is first, because the others need the threads that it finds. */
export const PROBE_IDS = ['frames', 'stacks', 'files'] as const;
export type ProbeId = (typeof PROBE_IDS)[number];

/** What a reader uses during one capture. */
export type ProbeContext = {
  readonly process: LinuxProcess;
  /**
   * The threads whose work delays a frame: the first thread of the process, and those that present
   * frames, which the probe `frames` adds.
   */
  readonly frameThreads: Set<number>;
  /** Queues a record for the trace. */
  append(record: TraceRecord): void;
  /**
   * Converts a CLOCK_MONOTONIC time in nanoseconds to milliseconds since the start of the capture.
   * Never below 0.
   */
  toTraceMs(monotonicNs: number): number;
};

/** Reads the output of a collector. All output is hostile input, and invalid lines are skipped. */
export type ProbeReader = {
  /** Called each second while there is nothing to observe yet, with a word of the collector. */
  waiting?(what: string): void;
  /** Called when observation begins. */
  ready?(t: number): void;
  /** Called with each line, without its LF and cut at LINE_CHARACTERS. */
  line(text: string): void;
  /**
   * Called at the end of each second with the trace time. The lines before this call belong to that
   * second.
   */
  tick(t: number): void;
  /**
   * Called when no more lines come, for any reason. The rest is written now or within half a
   * second.
   */
  end(t: number): void | Promise<void>;
  /**
   * Called with each line of standard error. Returns true if the line is expected and does not
   * explain an early end.
   */
  complaint?(text: string): boolean;
  /** What a user should know of the running probe, as a sentence without its point. Null: nothing. */
  note?(): string | null;
};

export type ProbeKind = {
  readonly id: ProbeId;
  open(context: ProbeContext): ProbeReader;
};
