// Weighs samples by time: they arrive in bursts, so their number says little. A sample lasts until the next one.
import { type FunctionStore, NO_STACK } from './function-store.ts';

/** Times are µs since the start of the recording. */
export class SampleStream {
  readonly #store: FunctionStore;
  /** The longest time that a sample may last. After it nothing was sampled, so the rest of the time is a gap. */
  readonly longest: number;
  /** The latest sample. Its weight is known when the next one arrives. */
  #node = NO_STACK;
  #at: number;

  constructor(store: FunctionStore, start: number, longest: number) {
    this.#store = store;
    this.#at = start;
    this.longest = longest;
  }

  /** The time of the latest sample. */
  get at(): number {
    return this.#at;
  }

  /** Adds a sample. Ignores one that is earlier than the latest. `gap` is the reason if the time before it was not sampled. */
  add(node: number, at: number, gap: number): void {
    const lasted = at - this.#at;
    if (!(lasted >= 0)) return;
    if (lasted > 0) this.#store.add(this.#node, this.#at, Math.min(lasted, this.longest));
    if (lasted > this.longest) this.#store.add(gap, this.#at + this.longest, lasted - this.longest);
    this.#node = node;
    this.#at = at;
  }
}
