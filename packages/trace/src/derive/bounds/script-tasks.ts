// The time that scripts certainly took in a window, by the long tasks that name them.
import type { LongTaskRecord } from '../../format/records.ts';
import { firstAbove, firstAtLeast } from '../../times/search-sorted.ts';

type Task = { readonly from: number; readonly to: number; readonly script_ms: number };

export class ScriptTasks {
  /** The tasks, disjoint and in ascending order. */
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly #tasks: readonly Task[];

  /** `tasks` are in order of time. A task that begins before the previous one ended is ignored: a thread has one task at a time. */
  constructor(tasks: readonly Pick<LongTaskRecord, 't' | 'duration_ms' | 'scripts'>[]) {
    let end = Number.NEGATIVE_INFINITY;
    this.#tasks = tasks.flatMap(({ t, duration_ms, scripts = [] }) => {
      if (t < end) return [];
      end = t + duration_ms;
      const inScripts = scripts.reduce((sum, script) => sum + script.duration_ms, 0);
      return [{ from: t, to: end, script_ms: Math.min(duration_ms, inScripts) }];
    });
    this.from = Float64Array.from(this.#tasks, ({ from }) => from);
    this.to = Float64Array.from(this.#tasks, ({ to }) => to);
  }

  /**
   * The least time in scripts within the window. A record has no positions of its scripts, so of a task that is only partly in
   * the window, the time in scripts that fits in its other part does not count.
   */
  within(from_ms: number, to_ms: number): number {
    const first = firstAbove(this.to, from_ms);
    const end = firstAtLeast(this.from, to_ms);
    return this.#tasks.slice(first, end).reduce((sum, { from, to, script_ms }) => {
      const outside = Math.max(0, from_ms - from) + Math.max(0, to - to_ms);
      return sum + Math.max(0, script_ms - outside);
    }, 0);
  }
}
