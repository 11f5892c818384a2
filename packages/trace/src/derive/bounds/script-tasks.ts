// The time that scripts certainly took in a window, by the long tasks that name them.
import type { LongTaskRecord } from '../../format/records.ts';
import { firstAbove, firstAtLeast } from '../../times/search-sorted.ts';

export class ScriptTasks {
  /** The tasks, disjoint and in ascending order. */
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly #script: Float64Array;
  /** The time in scripts of the first `i` tasks. */
  readonly #before: Float64Array;

  /** `tasks` are in order of time. A task that begins before the previous one ended is ignored: a thread has one task at a time. */
  constructor(tasks: readonly Pick<LongTaskRecord, 't' | 'duration_ms' | 'scripts'>[]) {
    let end = Number.NEGATIVE_INFINITY;
    const disjoint = tasks.filter(({ t, duration_ms }) => {
      if (t < end) return false;
      end = t + duration_ms;
      return true;
    });
    this.from = Float64Array.from(disjoint, ({ t }) => t);
    this.to = Float64Array.from(disjoint, ({ t, duration_ms }) => t + duration_ms);
    this.#script = Float64Array.from(disjoint, ({ duration_ms, scripts = [] }) =>
      Math.min(
        duration_ms,
        scripts.reduce((sum, script) => sum + script.duration_ms, 0),
      ),
    );
    this.#before = new Float64Array(disjoint.length + 1);
    for (const [i, script] of this.#script.entries()) {
      this.#before[i + 1] = (this.#before[i] ?? 0) + script;
    }
  }

  /**
   * The least time in scripts within the window. A record has no positions of its scripts, so of a task that is only partly in
   * the window, the time in scripts that fits in its other part does not count.
   */
  within(from_ms: number, to_ms: number): number {
    const first = firstAbove(this.to, from_ms);
    const last = firstAtLeast(this.from, to_ms) - 1;
    if (first > last) return 0;
    if (first === last) return this.#part(first, from_ms, to_ms);
    const between = (this.#before[last] ?? 0) - (this.#before[first + 1] ?? 0);
    return this.#part(first, from_ms, to_ms) + between + this.#part(last, from_ms, to_ms);
  }

  #part(task: number, from_ms: number, to_ms: number): number {
    const start = this.from[task] ?? 0;
    const end = this.to[task] ?? 0;
    const outside = Math.max(0, from_ms - start) + Math.max(0, end - to_ms);
    return Math.max(0, (this.#script[task] ?? 0) - outside);
  }
}
