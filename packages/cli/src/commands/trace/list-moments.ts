// The worst moments of a trace as a document: its hitches, or the seconds of a process that stand out.
import {
  type BoundHitch,
  busiestMoments,
  momentOf,
  type ProcessMoment,
  processMoments,
  risingMoments,
  type TraceBounds,
  type TraceModel,
  traceBounds,
  traceBoundText,
} from '@svc/trace';
import type { Documents } from '../../documents.ts';
import { describeCauses } from '../../trace/describe-causes.ts';
import { roundedMs } from '../../trace/describe-moment.ts';
import { noteAbout, noteWithin } from '../../trace/describe-notes.ts';

export type MomentList = Extract<Documents['trace-moments'], { moments: unknown }>;
export type ListedMoment = MomentList['moments'][number];

export const MOMENT_ORDERS = ['duration', 'time'] as const;

/** Lists the `limit` worst moments, and of a process as many of each kind. `bounds` are those of the model, if they are known already. */
export function listMoments(
  model: TraceModel,
  budget_ms: number,
  order: (typeof MOMENT_ORDERS)[number],
  limit: number,
  bounds: TraceBounds = traceBounds(model, budget_ms),
): MomentList {
  const frames = model.frames.reduce((sum, { start_ms }) => sum + start_ms.length, 0);
  const answer = traceBoundText(bounds);
  const head = { budget_ms, frames, answer };
  if (frames > 0) {
    const { hitches } = bounds;
    const moments = hitches.slice(0, limit).map((hitch, at) => hitchOf(model, hitch, at + 1));
    return { ...head, of: 'hitches', count: hitches.length, moments: sorted(moments, order) };
  }
  const all = processMoments(model.process);
  const lists = [
    { name: 'cpu', moments: busiestMoments(all) },
    { name: 'memory', moments: risingMoments(all) },
  ];
  const count = lists.reduce((sum, { moments }) => sum + moments.length, 0);
  const moments = lists.flatMap((list) =>
    list.moments
      .slice(0, limit)
      .map((moment, at) => secondOf(model, moment, `${list.name}:${at + 1}`)),
  );
  return {
    ...head,
    of: count === 0 ? 'nothing' : 'process',
    count,
    moments: sorted(moments, order),
  };
}

function sorted(
  moments: readonly ListedMoment[],
  order: (typeof MOMENT_ORDERS)[number],
): readonly ListedMoment[] {
  return order === 'time' ? moments.toSorted((a, b) => a.t - b.t) : moments;
}

export function hitchOf(model: TraceModel, hitch: BoundHitch, number: number): ListedMoment {
  const { source, start_ms, duration_ms, over_ms, bound } = hitch;
  const moment = momentOf(model, { from_ms: start_ms, to_ms: start_ms + duration_ms });
  return {
    name: `hitch:${number}`,
    source,
    t: roundedMs(start_ms),
    duration_ms: roundedMs(duration_ms),
    over_ms: roundedMs(over_ms),
    bound,
    causes: describeCauses(hitch, moment),
    ...{ cpu_percent: null, rss_bytes: null, rise_bytes: null },
    note: noteAbout(moment),
  };
}

function secondOf(
  model: TraceModel,
  { source, from_ms, to_ms, ...values }: ProcessMoment,
  name: string,
): ListedMoment {
  const { cpu_percent, rss_bytes, rise_bytes } = values;
  return {
    ...{ name, source, t: roundedMs(from_ms), duration_ms: roundedMs(to_ms - from_ms) },
    ...{ over_ms: null, bound: null, causes: [] },
    ...{ cpu_percent, rss_bytes, rise_bytes },
    note: noteWithin(model, { from_ms, to_ms }),
  };
}
