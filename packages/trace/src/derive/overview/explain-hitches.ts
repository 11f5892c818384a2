// What caused the longest hitches of a trace, and the hitches with the same cause as groups.
import type { AssetKind, AssetPhase } from '../../format/records.ts';
import type { TraceModel } from '../../model/trace-model.ts';
import type { BoundHitch } from '../bounds/frame-bounds.ts';
import { type CauseKind, type HitchCause, hitchCauses } from '../bounds/hitch-causes.ts';
import { momentOf } from '../frames/moment.ts';
import { type Situation, Situations } from './situations.ts';

/** The most hitches that are explained, the longest ones. */
export const MOST_EXPLAINED = 100;

export type ExplainedHitch = BoundHitch & {
  /** The most costly first. Empty if no cause is known. */
  readonly causes: readonly HitchCause[];
};

/** Hitches with the same first cause. */
export type HitchGroup = {
  readonly kind: CauseKind;
  /** The name that all causes of the group have. Null if they have different ones or none. */
  readonly name: string | null;
  /** The kind and phase of the assets. Null for other kinds of causes. */
  readonly asset: { readonly kind: AssetKind; readonly phase: AssetPhase } | null;
  readonly hitches: number;
  readonly over_ms: number;
  /** Its part of the time over budget of all explained hitches, 0 to 1. */
  readonly share: number;
  /** What the game did in most of these hitches, by its own spans and marks. Null if they have nothing in common. */
  readonly situation: Situation | null;
  /** Its longest hitch. */
  readonly worst: Pick<BoundHitch, 'source' | 'start_ms' | 'duration_ms'>;
};

/** Explains the first `limit` of `hitches`, which are those of `traceBounds`, longest first. */
export function explainHitches(
  model: TraceModel,
  hitches: readonly BoundHitch[],
  limit = MOST_EXPLAINED,
): ExplainedHitch[] {
  return hitches.slice(0, limit).map((hitch) => {
    const { start_ms, duration_ms } = hitch;
    const moment = momentOf(model, { from_ms: start_ms, to_ms: start_ms + duration_ms });
    return { ...hitch, causes: hitchCauses(hitch, moment) };
  });
}

/**
 * Groups hitches by their first cause: a function or a span by its name, work on assets by kind and phase, other causes by kind. The group
 * with the most time over budget is first, ties by the number of hitches. A hitch without a cause counts as `unknown`.
 */
export function groupHitches(model: TraceModel, hitches: readonly ExplainedHitch[]): HitchGroup[] {
  const all = hitches.reduce((sum, { over_ms }) => sum + over_ms, 0);
  const situations = new Situations(model);
  const groups = Map.groupBy(hitches, ({ causes }) => keyOf(causes[0]));
  return [...groups.values()]
    .flatMap((group): HitchGroup[] => {
      const [worst] = group;
      if (worst === undefined) return [];
      const firsts = group.flatMap(({ causes }) => causes[0] ?? []);
      const [first] = firsts;
      const over_ms = group.reduce((sum, hitch) => sum + hitch.over_ms, 0);
      const name = commonName(firsts);
      const situation = situations.common(group, first?.kind === 'span');
      const row = {
        kind: first?.kind ?? ('unknown' as const),
        name,
        asset: first?.asset ? { kind: first.asset.kind, phase: first.asset.phase } : null,
        hitches: group.length,
        over_ms,
        share: over_ms / all,
        situation,
        worst: { source: worst.source, start_ms: worst.start_ms, duration_ms: worst.duration_ms },
      };
      return [row];
    })
    .sort((a, b) => b.over_ms - a.over_ms || b.hitches - a.hitches);
}

function keyOf(cause: HitchCause | undefined): string {
  if (cause === undefined) return 'unknown';
  const { kind, name, asset } = cause;
  if (asset !== null) return `${kind} ${asset.kind} ${asset.phase}`;
  return kind === 'function' || kind === 'span' ? `${kind} ${name}` : kind;
}

function commonName(causes: readonly HitchCause[]): string | null {
  const names = new Set(causes.map(({ name }) => name));
  const [name = null] = names;
  return names.size === 1 ? name : null;
}
