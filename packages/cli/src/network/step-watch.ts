// Applies the time limit of each step of a request, and remembers the current step.
import type { Step } from './open-connection.ts';

export class StepWatch implements Disposable {
  /** Aborted when the limit of a step is exceeded, or by the caller's signal. */
  readonly signal: AbortSignal;
  /** The current step. */
  step: Step = 'connect';
  /** The limit that was exceeded, in milliseconds. Null if none was. */
  lateMs: number | null = null;
  readonly #late = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(signal: AbortSignal | null) {
    const signals = signal === null ? [] : [signal];
    this.signal = AbortSignal.any([this.#late.signal, ...signals]);
  }

  /** Begins a step without changing the time limit. */
  enter(step: Step): void {
    this.step = step;
  }

  /** Begins a step, or the next piece of it, with a time limit of `ms`. */
  allow(step: Step, ms: number): void {
    this.step = step;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.lateMs = ms;
      this.#late.abort();
    }, ms);
  }

  /** Removes the time limit during work that is not on the network. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
