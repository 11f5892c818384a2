// Ends a server's program. The first signal completes running requests and closes; a second one
// ends at once.
import { constants } from 'node:os';
import { messageOf } from '@svc/contracts/caught';
import { ENDING_SIGNALS } from './ending-signals.ts';
import { watchStarter } from './watch-starter.ts';

/**
 * A wrapper may pass a terminal's Ctrl-C on a second time. A signal this soon after the first one
 * counts as the same.
 */
const SAME_SIGNAL_MS = 500;

/**
 * Calls `close` on each of ENDING_SIGNALS, or when the npm that started this program is gone, and
 * ends the process with 0. A second signal ends it at once with 128 plus the signal's number. Call
 * this before reporting that the server listens.
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

/** Prints the message of an error, without a stack, and ends the process with 1. */
export function endWithError(error: unknown): void {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}
