// The part of a trace in a window of time, to compare it with a part of another trace.
import type { CounterColumns, Stacks } from '../../model/trace-model.ts';
import { weighWindow } from '../../stacks/weigh-window.ts';
import { firstAbove, firstAtLeast } from '../../times/search-sorted.ts';
import type { Window } from '../frames/frame-stats.ts';
import type { ComparedModel } from './diff-traces.ts';

type Columns = Readonly<Record<string, unknown>>;

/**
 * The frames and the samples that start in the window, and the weights of stacks in it. A counter also has the value that it holds
 * at the start of the window. Times are not moved. Stacks without times are returned whole.
 */
export function modelWithin(model: ComparedModel, window: Window): ComparedModel {
  const { from_ms, to_ms } = window;
  return {
    header: model.header,
    losses: model.losses,
    duration_ms: model.duration_ms === null ? null : Math.min(to_ms, model.duration_ms),
    frames: model.frames.map((frames) => cut(frames, frames.start_ms, window)),
    process: model.process.map((process) => cut(process, process.t, window)),
    counters: model.counters.map((counter) => counterWithin(counter, window)),
    stacks: model.stacks.map((stacks): Stacks => {
      if (stacks.times === null) return stacks;
      return { ...stacks, tree: weighWindow(stacks.tree, stacks.times, from_ms, to_ms) };
    }),
  };
}

/** Cuts each column. `t` is the column of the times. */
function cut<Rows extends Columns>(rows: Rows, t: Float64Array, { from_ms, to_ms }: Window): Rows {
  const [first, end] = [firstAtLeast(t, from_ms), firstAtLeast(t, to_ms)];
  return Object.fromEntries(
    Object.entries(rows).map(([name, column]) => [
      name,
      column instanceof Float64Array ? column.subarray(first, end) : column,
    ]),
  ) as Rows;
}

function counterWithin(counter: CounterColumns, window: Window): CounterColumns {
  const { t, value } = counter;
  const held = firstAbove(t, window.from_ms) - 1;
  const within = cut(counter, t, window);
  const heldValue = value[held];
  if (heldValue === undefined || t[held] === window.from_ms) return within;
  return {
    ...within,
    t: withFirst(window.from_ms, within.t),
    value: withFirst(heldValue, within.value),
  };
}

/** A counter may have more values than a call can have arguments. */
function withFirst(first: number, rest: Float64Array): Float64Array<ArrayBuffer> {
  const all = new Float64Array(rest.length + 1);
  all[0] = first;
  all.set(rest, 1);
  return all;
}
