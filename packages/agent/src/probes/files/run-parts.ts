// Runs are told as sums so far, some of them several times: here they become parts that add up to each run, exactly.
import type { FileKey, RunLine } from './parse-file-line.ts';

/** What has come to a run since it was told before. Units as in RunLine. */
export type RunPart = {
  readonly line: RunLine['line'];
  readonly tid: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly tookNs: number;
  readonly amount: number;
  readonly count: number;
  readonly key: FileKey;
  readonly bytes: number;
};

type Told = { readonly run: RunLine; tick: number };

/** A run that has not been told for so many ticks is over: the kernel's side tells what it holds at each tick. */
const FORGOTTEN_TICKS = 3;

/** More threads times files at once are no program but a flood; the oldest are forgotten. */
const MOST_RUNS = 65_536;

export class RunParts {
  readonly #told = new Map<string, Told>();
  #tick = 0;

  /** The part that a line adds, or null where it tells nothing new. */
  advance(run: RunLine): RunPart | null {
    const name = `${run.line} ${run.tid} ${run.startNs} ${run.key}`;
    const before = this.#told.get(name)?.run;
    if (before !== undefined && before.count >= run.count) {
      this.#told.set(name, { run: before, tick: this.#tick });
      return null;
    }
    this.#told.set(name, { run, tick: this.#tick });
    if (this.#told.size > MOST_RUNS) this.#forgetOldest();
    if (before === undefined) return run;
    return {
      ...run,
      startNs: before.endNs,
      tookNs: run.tookNs - before.tookNs,
      amount: run.amount - before.amount,
      count: run.count - before.count,
    };
  }

  /** A second is over. */
  tick(): void {
    this.#tick++;
    for (const [name, { tick }] of this.#told) {
      if (this.#tick - tick >= FORGOTTEN_TICKS) this.#told.delete(name);
    }
  }

  #forgetOldest(): void {
    for (const name of this.#told.keys()) {
      this.#told.delete(name);
      return;
    }
  }
}
