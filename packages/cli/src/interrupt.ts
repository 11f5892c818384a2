// Ctrl-C and its kin for commands that talk to the platform: stop in order first, at once when asked again.
import { Failure } from './exit-codes.ts';
import type { Io } from './io.ts';

/** npm and npx pass on the Ctrl-C that the terminal has sent already: within this time it is the same one. */
const SAME_PRESS_MS = 200;

/**
 * Calls the listener with 1 for the first signal and 2 for the second, where a signal that comes again at once is the same
 * press of a key. Returns how to stop listening.
 */
export function countSignals(
  io: Io,
  listener: (count: number, signal: NodeJS.Signals) => void,
): () => void {
  let count = 0;
  let last = { signal: '', at: Number.NEGATIVE_INFINITY };
  return io.onSignal((signal) => {
    const now = performance.now();
    if (signal === last.signal && now - last.at < SAME_PRESS_MS) return;
    last = { signal, at: now };
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
    if (count > 1) io.exit(130);
    controller.abort(new Failure(130, 'interrupted', 'Interrupted.'));
  });
  try {
    return await work(controller.signal);
  } finally {
    stop();
  }
}
