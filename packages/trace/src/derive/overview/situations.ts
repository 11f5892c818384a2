// What a game did at a time, by the spans and marks that it set itself, such as the loading of a level.
import type { TraceModel } from '../../model/trace-model.ts';
import { firstAtLeast } from '../../times/search-sorted.ts';
import type { Window } from '../frames/frame-stats.ts';
import { liesWithin } from '../frames/lies-within.ts';
import { TRACKS_OF_BROWSER } from '../frames/span-tracks.ts';

/** `during` a span of this name, or `after` a mark of this name and before the next mark. */
export type Situation = { readonly relation: 'during' | 'after'; readonly name: string };

type NamedTime = Situation & Window;

/** A situation is stated for a group of hitches if at least this part of them is in it. */
const LEAST_PART = 0.8;
/** A situation that lasts for more than this part of the trace says nothing about a hitch. */
const MOST_OF_TRACE = 0.8;

type Hitch = { readonly start_ms: number; readonly duration_ms: number };

/** The spans and marks of a game, except those that last for most of the trace. */
export class Situations {
  readonly #times: readonly NamedTime[];
  /** The time of all spans or marks of a name. */
  readonly #totals: ReadonlyMap<string, number>;

  constructor({ spans, marks, duration_ms }: TraceModel) {
    const end = duration_ms ?? 0;
    const times: NamedTime[] = [
      ...spans
        .filter(({ track }) => track === undefined || !TRACKS_OF_BROWSER.has(track))
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
    this.#times = times.filter((time) => (totals.get(keyOf(time)) ?? 0) <= end * MOST_OF_TRACE);
    this.#totals = totals;
  }

  /**
   * The situation of at least four of five of the hitches: the one with the most of them, then the shortest in all, so the most
   * specific one. Null if there is none. A hitch is in a situation if half of it is. With `around`, what lies within a hitch is no
   * situation, because it is a part of the hitch.
   */
  common(hitches: readonly Hitch[], around = false): Situation | null {
    const [first] = [...this.#found(hitches, around)]
      .filter(([, { held }]) => held.size >= hitches.length * LEAST_PART)
      .sort(
        ([a, one], [b, other]) =>
          other.held.size - one.held.size || this.#totalOf(a) - this.#totalOf(b),
      );
    if (first === undefined) return null;
    const { relation, name } = first[1].time;
    return { relation, name };
  }

  /** The hitches that each situation holds. A recording has many spans and few hitches, so each span looks for its hitches. */
  #found(
    hitches: readonly Hitch[],
    around: boolean,
  ): Map<string, { time: NamedTime; held: Set<number> }> {
    const sorted = hitches.toSorted((a, b) => a.start_ms - b.start_ms);
    const starts = sorted.map(({ start_ms }) => start_ms);
    const longest = sorted.reduce((most, { duration_ms }) => Math.max(most, duration_ms), 0);
    const found = new Map<string, { time: NamedTime; held: Set<number> }>();
    for (const time of this.#times) {
      const end = firstAtLeast(starts, time.to_ms);
      for (let i = firstAtLeast(starts, time.from_ms - longest); i < end; i++) {
        const hitch = sorted[i];
        if (hitch === undefined || !holds(time, hitch)) continue;
        if (around && liesWithin(time, windowOf(hitch))) continue;
        const key = keyOf(time);
        const one = found.get(key) ?? { time, held: new Set() };
        found.set(key, one);
        one.held.add(i);
      }
    }
    return found;
  }

  #totalOf(key: string): number {
    return this.#totals.get(key) ?? 0;
  }
}

function holds({ from_ms, to_ms }: Window, { start_ms, duration_ms }: Hitch): boolean {
  const overlap = Math.min(to_ms, start_ms + duration_ms) - Math.max(from_ms, start_ms);
  return overlap > 0 && overlap * 2 >= duration_ms;
}

function windowOf({ start_ms, duration_ms }: Hitch): Window {
  return { from_ms: start_ms, to_ms: start_ms + duration_ms };
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
