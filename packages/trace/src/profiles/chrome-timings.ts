// The marks and measures of `performance.mark` and `performance.measure` in a Chrome trace.
import type { KnownRecord } from '../format/records.ts';
import { cleanName } from '../vpt/clean-name.ts';
import { roundMs } from '../vpt/format-record.ts';
import type { ChromeEvent } from './chrome-event.ts';
import type { Interval } from './chrome-thread.ts';
import { numberOf } from './json-fields.ts';

const TRACK = 'user timing';

/** Collects the events of one process. Chrome writes its own page timings with the same category, but without a start time. */
export class ChromeTimings {
  readonly #marks: { readonly name: string; readonly ts: number }[] = [];
  readonly #measures: Interval[] = [];
  readonly #open = new Map<string, number>();

  /** Takes an event of the category `blink.user_timing`. */
  take({ name, ph, ts, id, args, data }: ChromeEvent): void {
    const key = `${id}:${name}`;
    if (ph === 'b') this.#open.set(key, ts);
    else if (ph === 'e') {
      const start = this.#open.get(key);
      this.#open.delete(key);
      if (start !== undefined && ts >= start)
        this.#measures.push({ name, ts: start, dur: ts - start });
    } else {
      const isOwn = !Number.isNaN(numberOf(data['startTime'] ?? args['startTime']));
      if (isOwn && /^[IiRn]$/.test(ph)) this.#marks.push({ name, ts });
    }
  }

  /** The records with times after `origin`. A measure that began earlier begins there. */
  records(origin: number): KnownRecord[] {
    const ms = (us: number): number => roundMs(us / 1000);
    const marks = this.#marks
      .filter(({ ts }) => ts >= origin)
      .map(
        ({ name, ts }) => ({ type: 'mark', t: ms(ts - origin), name: cleanName(name) }) as const,
      );
    const measures = this.#measures.flatMap(({ name, ts, dur }): KnownRecord[] => {
      const start = Math.max(origin, ts);
      const duration_ms = ms(ts + dur - start);
      if (duration_ms < 0) return [];
      const span = { type: 'span', t: ms(start - origin), duration_ms } as const;
      return [{ ...span, name: cleanName(name), track: TRACK }];
    });
    return [...marks, ...measures];
  }
}
