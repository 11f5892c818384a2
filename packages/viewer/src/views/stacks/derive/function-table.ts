// All functions of a tree with their own weight and the weight of all they call. Pure.
import { sumFrames } from '@svc/trace';
import type { ShownTree } from './select-tree.ts';

/** A longer table keeps only the functions with the largest self weight. */
const MAX_FUNCTIONS = 200_000;

/**
 * Columns by function, the largest self weight first. `total` counts a function that calls itself once. `leftOut` is the
 * number of functions with the least self weight that are not listed.
 */
export type FunctionTable = {
  readonly names: readonly string[];
  readonly categories: readonly string[];
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly sum: number;
  readonly whole: number;
  readonly unit: string;
  readonly leftOut: number;
};

export function functionTable({ tree, scale, total, whole }: ShownTree): FunctionTable {
  const sums = sumFrames(tree);
  const self = (frame: number): number => sums.self.values[frame] ?? 0;
  const all = (frame: number): number => sums.total.values[frame] ?? 0;
  const order = Array.from({ length: tree.frames.length }, (_, frame) => frame)
    .filter((frame) => all(frame) !== 0 || self(frame) !== 0)
    .sort((a, b) => self(b) - self(a));
  const leftOut = Math.max(0, order.length - MAX_FUNCTIONS);
  order.length -= leftOut;
  return {
    names: order.map((frame) => tree.frames.name(frame)),
    categories: order.map((frame) => tree.frames.category(frame)),
    self: Float64Array.from(order, (frame) => self(frame) / scale),
    total: Float64Array.from(order, (frame) => all(frame) / scale),
    sum: total,
    whole,
    unit: tree.unit,
    leftOut,
  };
}
