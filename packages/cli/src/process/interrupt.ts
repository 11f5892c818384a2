// Ctrl-C and similar signals: the first one aborts the command, the second one ends the process.
import { EXIT, ExitError } from './exit-codes.ts';
import type { Io } from './io.ts';

/**
 * Signals within this time of the first count as one: npm and npx repeat the Ctrl-C that the terminal has already sent, and
 * systemd sends SIGHUP with SIGTERM. `serve`'s close-on-signal.ts uses the same time.
 */
const SAME_SIGNAL_MS = 500;

/**
 * Calls the listener with the number of the signal: 1 for the first, 2 for the second. Signals within `SAME_SIGNAL_MS` of one
 * another count as one. Returns a function that removes the listener.
 */
export function countSignals(
  io: Io,
  listener: (count: number, signal: NodeJS.Signals) => void,
): () => void {
  let count = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  return io.onSignal((signal) => {
    const now = performance.now();
    if (now - countedAt <= SAME_SIGNAL_MS) return;
    countedAt = now;
    count++;
    listener(count, signal);
  });
}

/** Runs the work with an abort signal. The first Ctrl-C aborts it; the second one ends the process with 130. */
export async function interruptible<T>(
  io: Io,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = countSignals(io, (count) => {
    if (count > 1) io.exit(EXIT.interrupted);
    controller.abort(new ExitError(EXIT.interrupted, 'interrupted', 'Interrupted.'));
  });
  try {
    return await work(controller.signal);
  } finally {
    stop();
  }
}
