// What a sampler of a system does: one long-lived program that prints readings of one process, several a second.

/** What a line of a sampler means. */
export type SamplerEvent =
  | { readonly kind: 'about'; readonly name: string; readonly startedAt: string }
  | {
      readonly kind: 'reading';
      readonly cpuMs: number;
      readonly rssBytes: number;
      /** Null if the system does not say it. */
      readonly threads: number | null;
    }
  | { readonly kind: 'exited' }
  | { readonly kind: 'refused'; readonly code: 'no_such_process' | 'process_forbidden' };

export type Sampler = {
  /** The system's name for people. */
  readonly system: string;
  /** Returns the program and its arguments for a process. */
  command(pid: number): { readonly file: string; readonly args: readonly string[] };
  /** Returns the reader of the lines of one run. It returns null for lines that mean nothing. */
  reader(): (line: string) => SamplerEvent | null;
};
