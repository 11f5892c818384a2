// What is known about a process that could be profiled.

/** A process and the one that started it. */
export type Kin = { readonly pid: number; readonly parent: number };

/** A process and its CPU time in percent of one core. */
export type Working = Kin & { readonly name: string; readonly cpuPercent: number };

/** When a process started, in ticks of the kernel. With its id, it identifies one process. Null on systems without /proc. */
export type Started = { readonly startTicks: number | null };

/** A process with the words of its command line. On macOS these are the path of its program only. */
export type ListedProcess = Working & Started & { readonly words: readonly string[] };
