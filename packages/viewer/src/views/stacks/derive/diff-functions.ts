// Compares two trees by function. Pure.
import { type ExactColumn, type StackTree, sumFrames, treeTotal } from '@svc/trace';

/** Columns by function of two trees, the largest change of self share first. */
export type DiffTable = {
  readonly names: readonly string[];
  readonly selfBefore: Float64Array;
  readonly selfAfter: Float64Array;
  readonly totalBefore: Float64Array;
  readonly totalAfter: Float64Array;
  readonly sumBefore: number;
  readonly sumAfter: number;
  readonly unit: string;
};

/** Returns the table, largest change of self share first. `diff` holds both weights, as `diffTrees` creates it. */
export function diffFunctions(diff: StackTree): DiffTable {
  const earlier = diff.before === null ? null : { ...diff, self: diff.before };
  const after = sumFrames(diff);
  const before = earlier === null ? null : sumFrames(earlier);
  const scale = 10 ** diff.decimals;
  const sumAfter = Number(treeTotal(diff)) / scale;
  const sumBefore = earlier === null ? 0 : Number(treeTotal(earlier)) / scale;
  const at = (column: ExactColumn | undefined, frame: number): number =>
    (column?.values[frame] ?? 0) / scale;
  const change = (frame: number): number =>
    Math.abs(
      shareOf(at(after.self, frame), sumAfter) - shareOf(at(before?.self, frame), sumBefore),
    );
  const changes = Float64Array.from({ length: diff.frames.length }, (_, frame) => change(frame));
  const order = Array.from(changes.keys()).sort((a, b) => (changes[b] ?? 0) - (changes[a] ?? 0));
  const column = (from: ExactColumn | undefined): Float64Array =>
    Float64Array.from(order, (frame) => at(from, frame));
  return {
    names: order.map((frame) => diff.frames.text(frame)),
    selfBefore: column(before?.self),
    selfAfter: column(after.self),
    totalBefore: column(before?.total),
    totalAfter: column(after.total),
    sumBefore,
    sumAfter,
    unit: diff.unit,
  };
}

/** Returns a share of a sum, or 0 if the sum is 0. */
export function shareOf(value: number, sum: number): number {
  return sum === 0 ? 0 : value / sum;
}

/** Returns the relative change of a share, (after − before) / the larger of both: −1 is gone, 1 is new. */
export function changeOf(before: number, after: number): number {
  const most = Math.max(Math.abs(before), Math.abs(after));
  return most === 0 ? 0 : (after - before) / most;
}
