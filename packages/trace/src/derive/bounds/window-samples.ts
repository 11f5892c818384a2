// The samples of the main thread within a hitch, and the functions without the time that has another cause.
import { Float64List } from '../../bytes/growable.ts';
import type { Stacks } from '../../model/trace-model.ts';
import { ExactColumn } from '../../stacks/exact-column.ts';
import { visitSamples } from '../../stacks/weigh-window.ts';
import type { IntervalList, TimeCover } from '../../times/time-cover.ts';
import type { Window } from '../frames/frame-stats.ts';
import { type FunctionWeight, functionsOf } from '../frames/window-functions.ts';
import { GC, kindsOf, SCRIPT } from './main-samples.ts';

type Sample = { readonly node: number; readonly from: number; readonly to: number };

export class WindowSamples {
  readonly #script: { readonly stacks: Stacks; readonly samples: readonly Sample[] }[] = [];
  readonly #gc: Sample[] = [];

  /** Reads the samples with times of their own whose weights are times. */
  constructor(stacks: readonly Stacks[], { from_ms, to_ms }: Window) {
    for (const one of stacks) {
      const { tree, times } = one;
      const perMs = times?.weight_per_ms ?? null;
      if (times?.at_ms == null || perMs === null) continue;
      const { at_ms, node: nodes } = times;
      const kinds = kindsOf(tree);
      const samples: Sample[] = [];
      visitSamples(times, from_ms, to_ms, (index, weight) => {
        const node = nodes[index] ?? Number.NaN;
        const kind = kinds[node];
        if (kind !== SCRIPT && kind !== GC) return;
        const from = Math.max(from_ms, at_ms[index] ?? Number.NaN);
        const to = from + Number(weight) / perMs;
        if (to > from) (kind === GC ? this.#gc : samples).push({ node, from, to });
      });
      this.#script.push({ stacks: one, samples });
    }
  }

  /** The times of functions. */
  get script(): IntervalList {
    return listOf(this.#script.flatMap(({ samples }) => samples));
  }

  /** The times of garbage collections. */
  get gc(): IntervalList {
    return listOf(this.#gc);
  }

  /** At most `limit` functions with the time of their own that `taken` does not cover, as `functionsOf` orders them. In ms. */
  functions(taken: TimeCover, limit: number): FunctionWeight[] {
    return this.#script.flatMap(({ stacks, samples }) => {
      const { tree } = stacks;
      const self = new ExactColumn(tree.length);
      const scale = 10 ** tree.decimals;
      for (const { node, from, to } of samples) {
        self.add(node, Math.round((to - from - taken.within(from, to)) * scale));
      }
      return functionsOf({ ...stacks, tree: { ...tree, self } }, limit);
    });
  }
}

function listOf(samples: readonly Sample[]): IntervalList {
  const from = new Float64List(samples.length);
  const to = new Float64List(samples.length);
  for (const sample of samples) {
    from.push(sample.from);
    to.push(sample.to);
  }
  return { from: from.trimmed(), to: to.trimmed() };
}
