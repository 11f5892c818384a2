// How a server's program ends: the first signal finishes what is in flight and closes, a second one ends at once.
import { constants } from 'node:os';
import { messageOf } from '@svc/contracts/caught';
import { ENDING_SIGNALS } from './ending-signals.ts';
import { watchStarter } from './watch-starter.ts';

/** A terminal's Ctrl-C comes twice where a shim passes it on: so soon after the first it is the same one. */
const SAME_SIGNAL_MS = 500;

/**
 * Closes on each of ENDING_SIGNALS, and when the npm that started this program is gone, and ends the process with 0. A second
 * signal ends it at once with 128 and the signal's number. Call it before telling anybody that the server listens.
 */
export function closeOnSignal(close: () => Promise<void>): void {
  let closingSince: number | null = null;
  const end = (): void => {
    closingSince = performance.now();
    close().then(() => process.exit(0), endWithError);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (closingSince === null) end();
    else if (performance.now() - closingSince > SAME_SIGNAL_MS) {
      process.exit(128 + constants.signals[signal]);
    }
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  watchStarter(process.env, () => {
    if (closingSince === null) end();
  });
}

/** Says what went wrong, without a stack, and ends the process with 1. */
export function endWithError(error: unknown): void {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}
