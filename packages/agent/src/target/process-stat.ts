// What /proc/PID/stat and statm say. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html

export type ProcessStat = {
  /** What the kernel calls it: at most 15 bytes. */
  readonly name: string;
  readonly state: string;
  /** User and system time of the whole process, in ticks; children are not in it. */
  readonly cpuTicks: number;
  readonly threads: number;
  /** In ticks since the machine started: with the PID, this names one process for good. */
  readonly startTicks: number;
};

/** Parses a `stat` line; a name may hold spaces and brackets, so the fields count from the last bracket. */
export function parseProcessStat(text: string): ProcessStat {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  const field = (index: number): number => Number(fields[index] ?? 0);
  return {
    name: text.slice(open + 1, close),
    state: fields[0] ?? '?',
    cpuTicks: field(11) + field(12),
    threads: field(17),
    startTicks: field(19),
  };
}

/** Resident pages: the second number of `statm`. */
export function parseResidentPages(text: string): number {
  return Number(text.split(' ')[1] ?? 0);
}

/** Whether the process is gone, though its entry may still stand: a zombie whose threads are gone too. */
export function hasExited({ state, threads }: ProcessStat): boolean {
  return (state === 'Z' || state === 'X') && threads <= 1;
}
