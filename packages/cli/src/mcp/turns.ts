// Runs the calls of tools one after another, so that one analysis at a time uses memory.
import { setImmediate } from 'node:timers/promises';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import { CALLS_WAITING } from './limits.ts';

export class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Runs the work after all work before it. Rejects if the signal is aborted first, and if too much work waits. */
  async run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= CALLS_WAITING) {
      const text = `${CALLS_WAITING} calls are waiting. Wait for their answers, then call again.`;
      throw new ExitError(EXIT.unexpected, 'busy', text);
    }
    this.#waiting++;
    const before = this.#last;
    const own = (async () => {
      await before.catch(() => {});
      // Messages that arrived meanwhile, such as a cancellation, are read first.
      await setImmediate();
      this.#waiting--;
      signal.throwIfAborted();
      return await work();
    })();
    this.#last = own;
    return await own;
  }
}
