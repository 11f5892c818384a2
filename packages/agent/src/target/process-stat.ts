// Parses /proc/PID/stat and statm. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html

export type ProcessStat = {
  /** The name that the kernel reports, of at most 15 bytes. */
  readonly name: string;
  readonly state: string;
  /** The id of the parent. */
  readonly parent: number;
  /** User and system time of the whole process in ticks, without its children. */
  readonly cpuTicks: number;
  readonly threads: number;
  /** Ticks since the machine started. With the PID, it identifies one process. */
  readonly startTicks: number;
};

/**
 * Parses a `stat` line. The name may contain spaces and parentheses, so fields are counted from the
 * last parenthesis.
 */
export function parseProcessStat(text: string): ProcessStat {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  const field = (index: number): number => Number(fields[index] ?? 0);
  return {
    name: text.slice(open + 1, close),
    state: fields[0] ?? '?',
    parent: field(1),
    cpuTicks: field(11) + field(12),
    threads: field(17),
    startTicks: field(19),
  };
}

/** Resident pages, the second number of `statm`. */
export function parseResidentPages(text: string): number {
  return Number(text.split(' ')[1] ?? 0);
}

/**
 * Whether the process has exited although its entry still exists: a zombie without other threads.
 */
export function hasExited({ state, threads }: ProcessStat): boolean {
  return (state === 'Z' || state === 'X') && threads <= 1;
}
