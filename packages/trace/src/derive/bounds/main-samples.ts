// The work of the main thread, or of all threads whose work delays a frame, by the samples of its stacks, as intervals.
import { Float64List } from '../../bytes/growable.ts';
import type { Stacks } from '../../model/trace-model.ts';
import { oncePerShape } from '../../stacks/tree-memo.ts';
import type { IntervalList } from '../../times/time-cover.ts';

/** `script` is the functions, in a native program too. `other` is the browser's own work, and samples of the root itself. */
export type MainSamples = {
  readonly script: IntervalList;
  readonly gc: IntervalList;
  readonly other: IntervalList;
  /**
   * The first start and the last end of a sample: outside of these times, a time without samples may be unrecorded work. Without
   * samples, Infinity and -Infinity.
   */
  readonly from_ms: number;
  readonly to_ms: number;
};

/** What a node of a tree stands for: another thread, or work of the main thread. */
const OUTSIDE = 0;
const OTHER = 1;
export const SCRIPT = 2;
export const GC = 3;
/** The frame in which V8 counts work that is in no function. */
const PROGRAM = '(program)';
/** The parent of a root. */
const NONE = -1;

/**
 * The samples below roots of the category `main`, with times of their own and weights that are times.
 * All functions are script, because the engine's own functions run when a script calls them, and those of a native program are
 * its code. `(program)` and garbage collections are not.
 */
export function mainSamples(stacks: readonly Stacks[]): MainSamples {
  const [other, script, gc] = [emptyLists(), emptyLists(), emptyLists()];
  let from_ms = Number.POSITIVE_INFINITY;
  let to_ms = Number.NEGATIVE_INFINITY;
  for (const { tree, times } of stacks) {
    const perMs = times?.weight_per_ms ?? null;
    if (times?.at_ms == null || perMs === null) continue;
    const kinds = kindsOf(tree);
    // A recording has millions of samples, so the loop makes no iterator.
    for (let i = 0; i < times.node.length; i++) {
      const kind = kinds[times.node[i] ?? NONE] ?? OUTSIDE;
      const start = times.at_ms[i] ?? Number.NaN;
      const end = start + Number(times.weight.at(i)) / perMs;
      if (kind === OUTSIDE || !(end > start)) continue;
      const list = kind === GC ? gc : kind === SCRIPT ? script : other;
      list.from.push(start);
      list.to.push(end);
      from_ms = Math.min(from_ms, start);
      to_ms = Math.max(to_ms, end);
    }
  }
  return { script: trimmed(script), gc: trimmed(gc), other: trimmed(other), from_ms, to_ms };
}

type Lists = { readonly from: Float64List; readonly to: Float64List };

function emptyLists(): Lists {
  return { from: new Float64List(), to: new Float64List() };
}

function trimmed({ from, to }: Lists): IntervalList {
  return { from: from.trimmed(), to: to.trimmed() };
}

/** The kind of each node. A parent is before its children. */
export const kindsOf = oncePerShape(({ frames, parents, nodeFrames, length }): Uint8Array => {
  const kindOfFrame = Uint8Array.from({ length: frames.length }, (_, id) => {
    const category = frames.category(id);
    if (category === 'gc') return GC;
    return category === '' && frames.name(id) === PROGRAM ? OTHER : SCRIPT;
  });
  const kinds = new Uint8Array(length);
  for (const [node, frame] of nodeFrames.entries()) {
    const parent = parents[node] ?? NONE;
    const above = kinds[parent] ?? OUTSIDE;
    if (parent === NONE) kinds[node] = frames.category(frame) === 'main' ? OTHER : OUTSIDE;
    else kinds[node] = above === OUTSIDE ? OUTSIDE : Math.max(above, kindOfFrame[frame] ?? OTHER);
  }
  return kinds;
});
