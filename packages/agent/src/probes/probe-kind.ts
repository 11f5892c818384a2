// The interface of a native probe: its id, and a reader that turns its lines into trace records.
import type { TraceRecord } from '@svc/trace';
import type { LinuxProcess } from '../target/pin-process.ts';

export type ProbeId = 'stacks' | 'files';

/** What a reader uses during one capture. */
export type ProbeContext = {
  readonly process: LinuxProcess;
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
};

export type ProbeKind = {
  readonly id: ProbeId;
  open(context: ProbeContext): ProbeReader;
};
