// The weights of a tree for a part of the time only: selection in the timeline, the moment of a hitch.
import { ExactColumn } from './exact-column.ts';
import type { StackTree } from './stack-tree.ts';

/**
 * Samples in groups that were written together: group `g` spans `t[g]` to `t[g] + duration_ms[g]` and holds samples
 * `first[g]` up to `first[g + 1]`. Weights are at the tree's scale.
 */
export type SampleTimes = {
  readonly t: Float64Array<ArrayBuffer>;
  readonly duration_ms: Float64Array<ArrayBuffer>;
  /** One longer than `t`. */
  readonly first: Int32Array<ArrayBuffer>;
  readonly node: Int32Array<ArrayBuffer>;
  readonly weight: ExactColumn;
};

/** The tree with the weights of those samples alone whose group touches `from_ms ≤ time < to_ms`; nodes keep their numbers. */
export function weighWindow(
  tree: StackTree,
  times: SampleTimes,
  from_ms: number,
  to_ms: number,
): StackTree {
  const self = new ExactColumn(tree.length);
  let samples = 0;
  for (let group = 0; group < times.t.length; group++) {
    const start = times.t[group] ?? 0;
    const end = start + (times.duration_ms[group] ?? 0);
    if (start >= to_ms || (end <= from_ms && !(end === start && start >= from_ms))) continue;
    const last = times.first[group + 1] ?? 0;
    for (let i = times.first[group] ?? 0; i < last; i++, samples++) {
      self.add(times.node[i] ?? 0, times.weight.at(i));
    }
  }
  return { ...tree, self, before: null, samples };
}
