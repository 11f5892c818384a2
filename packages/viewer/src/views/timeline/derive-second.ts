// Derives what happened in a short time range: memory, assets and functions. Pure.
import { functionsOf, memoryWithin, momentOf, type TraceModel } from '@svc/trace';
import type { TimeRange } from '../../draw/time-axis.ts';
import type { BusyFunction, SecondView } from './timeline-data.ts';

/** The maximum number of assets, and of functions. */
const LISTED = 5;

export function deriveSecond(model: TraceModel, range: TimeRange): SecondView {
  const window = { from_ms: range.from, to_ms: range.to };
  const { assets, stacks } = momentOf(model, window);
  const groups = stacks.map((one) => ({
    unit: one.tree.unit,
    functions: functionsOf(one, Number.POSITIVE_INFINITY),
  }));
  const shown = groups.find(({ functions }) => functions.length > 0);
  const sum = (shown?.functions ?? []).reduce((all, { self }) => all + self, 0);
  return {
    range,
    memory: memoryWithin(model, window),
    assets: assets.slice(0, LISTED).map(({ item, within_ms }) => {
      return { name: item.name, phase: item.phase, within_ms };
    }),
    assetCount: assets.length,
    functions: (shown?.functions ?? [])
      .slice(0, LISTED)
      .map(({ name, category, self }): BusyFunction => {
        return { name, category, self, share: self / sum };
      }),
    functionCount: shown?.functions.length ?? 0,
    unit: shown?.unit ?? '',
  };
}
