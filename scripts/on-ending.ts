// When a script that npm runs has to end: by each signal that it can catch, and when the npm that started it is gone.

/** As `packages/serve/src/ending-signals.ts`, which scripts can't import: faults, SIGKILL and SIGPROF are left out. */
export const ENDING_SIGNALS: readonly NodeJS.Signals[] = [
  ...(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGALRM'] as const),
  ...(['SIGVTALRM', 'SIGXCPU', 'SIGIO', 'SIGPWR', 'SIGSTKFLT'] as const),
];

const LOOK_MS = 500;

/** Calls the listener for each of these signals, and with SIGTERM when npm is gone. The scripts in package.json have no shell between. */
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
