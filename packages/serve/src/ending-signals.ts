// The signals that would end a program, and that it can catch to end in order instead.

/**
 * Left out are faults (SIGSEGV, SIGABRT …), SIGKILL, which no program can catch, and SIGPROF, which V8's profiler uses.
 * SIGUSR1 opens Node's inspector where nobody listens for it.
 */
export const ENDING_SIGNALS: readonly NodeJS.Signals[] = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGVTALRM',
  'SIGXCPU',
  'SIGIO',
  'SIGPWR',
  'SIGSTKFLT',
];
