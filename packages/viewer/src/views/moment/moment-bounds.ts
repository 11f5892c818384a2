// What caused and what bounds the hitches of a time range. Pure.
import {
  type BoundHitch,
  type BoundShare,
  boundShares,
  type CauseParts,
  causeParts,
  frameBoundText,
  frameParts,
  hitchCauses,
  mainCauses,
  momentOf,
  type Source,
  type TraceModel,
} from '@svc/trace';
import type { TimeRange } from '../../draw/time-axis.ts';
import { boundsOf } from '../bounds/derive-bounds.ts';

/** A part of a hitch. */
export type MomentPart = {
  readonly name: string;
  /** Null: not measured. */
  readonly ms: number | null;
  /** Of the hitch. Null: not measured. */
  readonly share: number | null;
  /** Whether the part may be longer, because the time of the main thread is not known. */
  readonly isLeast: boolean;
};

/** Of one hitch what caused it, its bound in words and its parts, of several the time over budget by bound. */
export type MomentBounds =
  | {
      readonly kind: 'hitch';
      /** Clauses, the most costly cause first. Empty if no cause is known. */
      readonly causes: readonly CauseParts[];
      readonly text: string;
      readonly parts: readonly MomentPart[];
    }
  | {
      readonly kind: 'hitches';
      readonly count: number;
      readonly shares: readonly BoundShare[];
      /** The source of the frames of the trace. Null: several. */
      readonly source: Source | null;
    };

/** A selection by hand may miss the ends of a frame by this time. */
export const NEAR_MS = 1;

/** Returns null if the range has no hitch. */
export function momentBounds(
  model: TraceModel,
  range: TimeRange,
  budgetMs: number,
): MomentBounds | null {
  const { hitches, source, gpu } = boundsOf(model, budgetMs);
  const found = hitches.filter((hitch) => isIn(hitch, range));
  const exact = found.filter((hitch) => isSame(hitch, range));
  const [first] = exact.length === 1 ? exact : found;
  if (first === undefined) return null;
  if (found.length === 1 || exact.length === 1) {
    const causes = causesOf(model, first);
    return { kind: 'hitch', causes, text: frameBoundText(first, gpu), parts: partsOf(first) };
  }
  return { kind: 'hitches', count: found.length, shares: boundShares(found), source };
}

/** Whether half of the hitch is in the range, or half of the range is in the hitch. */
function isIn({ start_ms, duration_ms }: BoundHitch, { from, to }: TimeRange): boolean {
  const overlap = Math.min(to, start_ms + duration_ms) - Math.max(from, start_ms);
  return overlap > 0 && overlap * 2 >= Math.min(duration_ms, to - from);
}

function isSame({ start_ms, duration_ms }: BoundHitch, { from, to }: TimeRange): boolean {
  return Math.abs(start_ms - from) <= NEAR_MS && Math.abs(start_ms + duration_ms - to) <= NEAR_MS;
}

/** The causes that the command line states too. They are those of the whole hitch, whatever the range. */
function causesOf(model: TraceModel, hitch: BoundHitch): CauseParts[] {
  const { start_ms, duration_ms } = hitch;
  const moment = momentOf(model, { from_ms: start_ms, to_ms: start_ms + duration_ms });
  return mainCauses(hitchCauses(hitch, moment), duration_ms).map(causeParts);
}

/** The parts of the main thread, and the times of the GPU that are known. */
function partsOf(hitch: BoundHitch): MomentPart[] {
  const { duration_ms, main_ms } = hitch.parts;
  const rows = frameParts(hitch);
  const gpu = rows.filter(({ kind }) => kind === 'gpu');
  const known = gpu.filter(({ ms }) => ms !== null);
  return [
    ...rows
      .filter(({ kind }) => kind !== 'gpu')
      .map(({ name, ms }) => partOf(name, main_ms === null && ms === 0 ? null : ms, duration_ms))
      .map((part) => ({ ...part, isLeast: main_ms === null && part.ms !== null })),
    ...(known.length > 0 ? known : gpu.slice(0, 1)).map(({ name, ms }) =>
      partOf(name, ms, duration_ms),
    ),
  ];
}

function partOf(name: string, ms: number | null, duration_ms: number): MomentPart {
  const share = ms === null || duration_ms === 0 ? null : ms / duration_ms;
  return { name, ms, share, isLeast: false };
}
