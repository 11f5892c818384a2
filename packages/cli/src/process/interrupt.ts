// Ctrl-C and its kin for commands that talk to the platform: stop in order first, at once when asked again.
import { EXIT, ExitError } from './exit-codes.ts';
import type { Io } from './io.ts';

/**
 * npm and npx pass on the Ctrl-C that the terminal has sent already, and systemd sends SIGHUP with SIGTERM: signals within this
 * time of the first count as one. As in `serve`'s close-on-signal.ts.
 */
const SAME_SIGNAL_MS = 500;

/**
 * Calls the listener with 1 for the first signal and 2 for the second, where any signals that come at once count as one.
 * Returns how to stop listening.
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

/** Runs the work with a signal that fires on the first Ctrl-C; the second one ends the process. */
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
