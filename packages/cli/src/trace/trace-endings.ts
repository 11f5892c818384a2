/** The endings of the files that hold traces, for completions. */
export const TRACE_ENDINGS = ['vpt', 'folded', 'cpuprofile', 'json', 'csv', 'gz'] as const;
