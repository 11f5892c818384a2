// Runs are reported several times, as totals so far. This turns them into parts whose sum is
// exactly the run.
import type { RunLine } from './parse-file-line.ts';

/** The growth of a run since its previous line. */
export type RunPart = RunLine;

type LastLine = { readonly run: RunLine; tick: number };

/**
 * A run without a line for this many ticks is over. The kernel program prints all its runs at each
 * tick.
 */
const FORGOTTEN_TICKS = 3;

/**
 * The most runs that are remembered. More are not a real program but a flood, and the oldest are
 * forgotten.
 */
const MOST_RUNS = 65_536;

export class RunParts {
  readonly #lines = new Map<string, LastLine>();
  #tick = 0;

  /** The part that a line adds. Null if the totals have not changed. */
  advance(run: RunLine): RunPart | null {
    const name = `${run.line} ${run.tid} ${run.startNs} ${run.key}`;
    const before = this.#lines.get(name)?.run;
    if (before !== undefined && before.count >= run.count) {
      this.#lines.set(name, { run: before, tick: this.#tick });
      return null;
    }
    this.#lines.set(name, { run, tick: this.#tick });
    if (this.#lines.size > MOST_RUNS) this.#forgetOldest();
    if (before === undefined) return run;
    return {
      ...run,
      startNs: before.endNs,
      tookNs: run.tookNs - before.tookNs,
      amount: run.amount - before.amount,
      count: run.count - before.count,
    };
  }

  /** Starts the next second. */
  tick(): void {
    this.#tick++;
    for (const [name, { tick }] of this.#lines) {
      if (this.#tick - tick >= FORGOTTEN_TICKS) this.#lines.delete(name);
    }
  }

  #forgetOldest(): void {
    for (const name of this.#lines.keys()) {
      this.#lines.delete(name);
      return;
    }
  }
}
