// Holds each step of a request to its limit, and remembers which step was under way when it ended.
import type { Step } from './open-connection.ts';

export class StepWatch implements Disposable {
  /** Fires when the step's limit has passed, or when the caller's own signal fires. */
  readonly signal: AbortSignal;
  /** The step under way. */
  step: Step = 'connect';
  /** The limit that has passed, in milliseconds; null while none has. */
  lateMs: number | null = null;
  readonly #late = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(signal: AbortSignal | null) {
    const signals = signal === null ? [] : [signal];
    this.signal = AbortSignal.any([this.#late.signal, ...signals]);
  }

  /** Begins a step without changing the limit. */
  enter(step: Step): void {
    this.step = step;
  }

  /** Begins a step, or a new piece of it, that may take `ms`. */
  allow(step: Step, ms: number): void {
    this.step = step;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.lateMs = ms;
      this.#late.abort();
    }, ms);
  }

  /** Ends the limit: what is waited for now is no step of the network. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
