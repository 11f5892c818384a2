// The weights of a tree within a time window, such as a selection in the timeline or a hitch.
import { type Exact, ExactColumn } from './exact-column.ts';
import type { StackTree } from './stack-tree.ts';

/** The unit of weights that are times. A sample with this unit and a time of its own lasts as long as its weight. */
export const TIME_UNIT = 'ms';

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
  /** The time of each sample in ms of the trace, or NaN if only the time of its group is known. Null if no sample has a time. */
  readonly at_ms: Float64Array<ArrayBuffer> | null;
  /** If the weights are times: the weight of one millisecond. Otherwise null. */
  readonly weight_per_ms: number | null;
};

/** The tree with only the weights of `from_ms ≤ time < to_ms`, as {@link visitSamples} returns them. Nodes keep their numbers. */
export function weighWindow(
  tree: StackTree,
  times: SampleTimes,
  from_ms: number,
  to_ms: number,
): StackTree {
  const self = new ExactColumn(tree.length);
  let samples = 0;
  visitSamples(times, from_ms, to_ms, (sample, weight) => {
    self.add(times.node[sample] ?? 0, weight);
    samples++;
  });
  return { ...tree, self, before: null, samples };
}

/**
 * Calls `visit` for each sample in the window `from_ms ≤ time < to_ms`, with the part of its weight that is in the window:
 * - A sample without a time of its own is in the window, with its whole weight, if its group overlaps the window.
 * - A sample with a time, whose weight is a time, lasts that long. The part of it that is in the window counts. The parts in
 *   adjacent windows add up to the whole weight exactly.
 * - Any other sample with a time is a point.
 */
export function visitSamples(
  times: SampleTimes,
  from_ms: number,
  to_ms: number,
  visit: (sample: number, weight: Exact) => void,
): void {
  for (let group = 0; group < times.t.length; group++) {
    const start = times.t[group] ?? 0;
    const end = start + (times.duration_ms[group] ?? 0);
    if (start >= to_ms || (end <= from_ms && !(end === start && start >= from_ms))) continue;
    const last = times.first[group + 1] ?? 0;
    for (let i = times.first[group] ?? 0; i < last; i++) {
      const weight = weightWithin(times, i, from_ms, to_ms);
      if (weight !== null) visit(i, weight);
    }
  }
}

/** The part of a sample's weight in the window, or null if the sample is outside. */
function weightWithin(times: SampleTimes, i: number, from_ms: number, to_ms: number): Exact | null {
  const weight = times.weight.at(i);
  const at = times.at_ms?.[i] ?? Number.NaN;
  if (Number.isNaN(at)) return weight;
  const perMs = times.weight_per_ms;
  if (perMs === null || typeof weight !== 'number' || weight <= 0) {
    return at >= from_ms && at < to_ms ? weight : null;
  }
  const start = Math.round(at * perMs);
  const from = Math.max(start, Math.round(from_ms * perMs));
  const to = Math.min(start + weight, Math.round(to_ms * perMs));
  return to > from ? to - from : null;
}
