// Detects that a script must end: a signal was received, or the npm process that started it has exited.

/** A copy of the list in `packages/serve/src/ending-signals.ts`, which scripts can't import. */
export const ENDING_SIGNALS: readonly NodeJS.Signals[] = [
  ...(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGALRM'] as const),
  ...(['SIGVTALRM', 'SIGXCPU', 'SIGIO', 'SIGPWR', 'SIGSTKFLT'] as const),
];

const LOOK_MS = 500;

/** Calls the listener for each of these signals, and with SIGTERM after npm has exited. Requires that npm starts the script without a shell. */
export function onEnding(listener: (signal: NodeJS.Signals) => void): void {
  for (const signal of ENDING_SIGNALS) process.on(signal, listener);
  if ((process.env['npm_execpath'] ?? '') === '') return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    listener('SIGTERM');
  }, LOOK_MS);
  timer.unref();
}
