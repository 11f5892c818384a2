// What a game did at a time, by the spans and marks that it set itself, such as the loading of a level.
import type { TraceModel } from '../../model/trace-model.ts';
import type { Window } from '../frames/frame-stats.ts';

/** `during` a span of this name, or `after` a mark of this name and before the next mark. */
export type Situation = { readonly relation: 'during' | 'after'; readonly name: string };

type NamedTime = Situation & Window;

/** Tracks of spans that the browser and the engine write. They are not what the game does. */
const FOREIGN_TRACKS: ReadonlySet<string> = new Set([
  'gc',
  'rendering',
  'gpu process',
  'image decode',
]);
/** A situation is stated for a group of hitches if at least this part of them is in it. */
const LEAST_PART = 0.8;
/** A situation that lasts for more than this part of the trace says nothing about a hitch. */
const MOST_OF_TRACE = 0.8;

/** All times of spans and marks with a name, except situations that last for most of the trace. */
export function situationsOf(model: TraceModel): NamedTime[] {
  const { spans, marks, duration_ms } = model;
  const end = duration_ms ?? 0;
  const times: NamedTime[] = [
    ...spans
      .filter(({ track }) => track === undefined || !FOREIGN_TRACKS.has(track))
      .map(({ name, t, duration_ms: length }) => ({
        ...{ relation: 'during' as const, name },
        ...{ from_ms: t, to_ms: t + length },
      })),
    ...marks.map(({ name, t }, index) => ({
      ...{ relation: 'after' as const, name },
      ...{ from_ms: t, to_ms: marks[index + 1]?.t ?? end },
    })),
  ];
  const totals = totalTimes(times);
  return times.filter((time) => (totals.get(keyOf(time)) ?? 0) <= end * MOST_OF_TRACE);
}

/**
 * The situation of at least four of five of the hitches: the one with the most of them, then the shortest in all, so the most
 * specific one. Null if there is none. A hitch is in a situation if half of it is.
 */
export function commonSituation(
  times: readonly NamedTime[],
  hitches: readonly { readonly start_ms: number; readonly duration_ms: number }[],
): Situation | null {
  const counts = new Map<string, { time: NamedTime; hitches: number }>();
  for (const { start_ms, duration_ms } of hitches) {
    const found = new Map(
      times.filter((time) => holds(time, start_ms, duration_ms)).map((time) => [keyOf(time), time]),
    );
    for (const [key, time] of found) {
      const count = counts.get(key);
      if (count === undefined) counts.set(key, { time, hitches: 1 });
      else count.hitches++;
    }
  }
  const totals = totalTimes(times);
  const [first] = [...counts]
    .filter(([, one]) => one.hitches >= hitches.length * LEAST_PART)
    .sort(
      ([a, one], [b, other]) =>
        other.hitches - one.hitches || (totals.get(a) ?? 0) - (totals.get(b) ?? 0),
    );
  if (first === undefined) return null;
  const { relation, name } = first[1].time;
  return { relation, name };
}

function holds({ from_ms, to_ms }: Window, start: number, duration: number): boolean {
  const overlap = Math.min(to_ms, start + duration) - Math.max(from_ms, start);
  return overlap > 0 && overlap * 2 >= duration;
}

function keyOf({ relation, name }: Situation): string {
  return `${relation} ${name}`;
}

function totalTimes(times: readonly NamedTime[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const time of times) {
    const key = keyOf(time);
    totals.set(key, (totals.get(key) ?? 0) + time.to_ms - time.from_ms);
  }
  return totals;
}
