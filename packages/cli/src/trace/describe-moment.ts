// The functions, assets and spans of a moment as parts of documents.
import { functionsOf, type Moment } from '@svc/trace';

/** The functions with the most time of their own, of each source and unit. */
export function describeFunctions({ stacks }: Moment, limit: number) {
  return stacks.flatMap((one) =>
    functionsOf(one, limit).map(({ name, self, total }) => ({
      name,
      unit: one.tree.unit,
      self: roundedMs(self),
      total: roundedMs(total),
      exact: one.times?.at_ms != null,
    })),
  );
}

export function describeAssets({ assets }: Moment, limit: number) {
  return assets.slice(0, limit).map(({ item, within_ms }) => ({
    name: item.name,
    phase: item.phase,
    within_ms: roundedMs(within_ms),
  }));
}

export function describeSpans({ spans }: Moment, limit: number) {
  return spans.slice(0, limit).map(({ item, within_ms }) => ({
    name: item.name,
    track: item.track ?? null,
    within_ms: roundedMs(within_ms),
  }));
}

/** Three decimals. */
export function roundedMs(value: number): number {
  return Math.round(value * 1000) / 1000;
}
