// The signals that would end a program, and that it can catch to end in order.

/**
 * Not included: faults (SIGSEGV, SIGABRT …), SIGKILL, which can't be caught, and SIGPROF, which
 * V8's profiler uses. SIGUSR1 opens Node's inspector if no listener is set.
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
