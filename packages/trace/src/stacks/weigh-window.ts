// The weights of a tree within a time window, such as a selection in the timeline or a hitch.
import { ExactColumn } from './exact-column.ts';
import type { StackTree } from './stack-tree.ts';

/**
 * Samples in groups that were written together. Group `g` spans `t[g]` to `t[g] + duration_ms[g]` and has the samples from
 * `first[g]` to before `first[g + 1]`. Weights are at the tree's scale.
 */
export type SampleTimes = {
  readonly t: Float64Array<ArrayBuffer>;
  readonly duration_ms: Float64Array<ArrayBuffer>;
  /** Has one entry more than `t`. */
  readonly first: Int32Array<ArrayBuffer>;
  readonly node: Int32Array<ArrayBuffer>;
  readonly weight: ExactColumn;
};

/** The tree with only the samples whose group overlaps `from_ms ≤ time < to_ms`. Nodes keep their numbers. */
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
