// Everything about one moment of a trace, as a document.
import {
  type FoundMoment,
  type FrameFacts,
  framesAround,
  hitchesWithin,
  type Moment,
  type MomentPlace,
  memoryWithin,
  momentOf,
  noteInfo,
  processMoments,
  type TraceModel,
  traceBounds,
} from '@svc/trace';
import type { Documents } from '../../documents.ts';
import { explainBound, toDocument } from '../../trace/describe-causes.ts';
import { describeFunctions, roundedMs } from '../../trace/describe-moment.ts';
import { hitchOf } from './list-moments.ts';
import { placeOf } from './place-document.ts';

export type OneMoment = Extract<Documents['trace-moments'], { moment: unknown }>;
export type OneFrame = NonNullable<OneMoment['frame']>;

/** `place` is the moment that `named` means. At most `limit` items of each kind are listed. */
export function describeMoment(
  model: TraceModel,
  named: MomentPlace,
  place: FoundMoment,
  budget_ms: number,
  limit: number,
): OneMoment {
  const moment = momentOf(model, place);
  const around = place.frame && framesAround(model, place.frame, budget_ms);
  const items = itemsOf(moment, limit);
  const { notes, assets, longtasks, spans, marks, logs, losses } = moment;
  const hitches =
    place.kind === 'range' ? hitchesWithin(traceBounds(model, budget_ms).hitches, place) : [];
  const all = [hitches, notes, assets, longtasks, spans, marks, logs, losses];
  const listed = all.reduce((sum, list) => sum + Math.min(limit, list.length), 0);
  return {
    budget_ms,
    moment: placeOf(place),
    longest_in: longestIn(named, place),
    source: around?.source ?? null,
    notes: notes.slice(0, limit).map(noteInfo),
    explanation: around && explainBound(around.frame.bound, model.header.gpu ?? null),
    before: around && frameOf(around.before),
    frame: around && frameOf(around.frame),
    after: around && frameOf(around.after),
    hitches: hitches.slice(0, limit).map(({ hitch, number }) => hitchOf(model, hitch, number)),
    memory: place.kind === 'range' ? memoryWithin(model, place) : [],
    process: processMoments(model.process)
      .filter(({ from_ms, to_ms }) => from_ms < place.to_ms && to_ms > place.from_ms)
      .slice(0, limit)
      .map(({ from_ms, to_ms, cpu_percent, rss_bytes, rise_bytes }) => ({
        ...{ t: roundedMs(from_ms), duration_ms: roundedMs(to_ms - from_ms) },
        ...{ cpu_percent, rss_bytes, rise_bytes },
      })),
    functions: describeFunctions(moment, limit),
    ...items,
    left_out: all.reduce((sum, list) => sum + list.length, 0) - listed,
  };
}

/** The named time, if the moment is a hitch that begins after the start of that time. */
function longestIn(named: MomentPlace, { kind, from_ms }: FoundMoment): OneMoment['longest_in'] {
  if (named.kind !== 'time' || named.precision_ms === null) return null;
  if (kind !== 'hitch' || from_ms <= named.t) return null;
  return { t: named.t, duration_ms: named.precision_ms };
}

function frameOf(facts: FrameFacts | null): OneFrame | null {
  if (facts === null) return null;
  const { start_ms, duration_ms, bound, causes, ...values } = facts;
  return {
    t: roundedMs(start_ms),
    duration_ms: roundedMs(duration_ms),
    ...values,
    bound: bound.bound,
    causes: toDocument(causes),
  };
}

type Items = Pick<OneMoment, 'assets' | 'longtasks' | 'spans' | 'marks' | 'logs' | 'losses'>;

function itemsOf(moment: Moment, limit: number): Items {
  return {
    assets: moment.assets.slice(0, limit).map(({ item, within_ms }) => ({
      ...{ name: item.name, kind: item.kind, phase: item.phase, t: item.t },
      ...{ bytes: item.bytes ?? null, gpu_bytes: item.gpu_bytes ?? null },
      within_ms: roundedMs(within_ms),
    })),
    longtasks: moment.longtasks.slice(0, limit).map(({ item, within_ms }) => ({
      ...{ t: item.t, duration_ms: item.duration_ms, within_ms: roundedMs(within_ms) },
      scripts: (item.scripts ?? []).map(({ name, duration_ms }) => ({ name, duration_ms })),
    })),
    spans: moment.spans.slice(0, limit).map(({ item, within_ms }) => ({
      ...{ name: item.name, track: item.track ?? null, t: item.t, within_ms: roundedMs(within_ms) },
    })),
    marks: moment.marks.slice(0, limit).map(({ t, name }) => ({ t, name })),
    logs: moment.logs.slice(0, limit).map(({ t, level, text }) => ({ t, level, text })),
    losses: moment.losses.slice(0, limit).map(({ t, reason, duration_ms }) => ({
      ...{ t, reason, duration_ms: duration_ms ?? null },
    })),
  };
}
