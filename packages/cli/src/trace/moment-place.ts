// The part of a trace that an option names: `31-31.5`, `31.2`, `0:31.2`, or a moment of `svc trace moments` such as `hitch:1`.
import {
  clockText,
  type FoundMoment,
  findMoment,
  MOMENT_LISTS,
  type MomentPlace,
  type TraceModel,
} from '@svc/trace';
import { InvalidValueError } from '../command-line/define-command.ts';
import { formatCount } from '../output/text.ts';
import { EXIT, ExitError } from '../process/exit-codes.ts';

/** How a place is written, for the help of options. */
export const PLACE_HELP =
  'FROM-TO in seconds (31-31.5), a time in seconds (31.2, or 0:31.2 as on a clock: the longest hitch from 31.2 s to before 31.3 s, otherwise the frame at 31.2 s, or the second in a trace without frames), or a moment of svc trace moments (hitch:1, cpu:1, memory:1)';

const NAMED = new RegExp(`^(${MOMENT_LISTS.join('|')}):([1-9]\\d{0,8})$`);
/** Seconds, or minutes and seconds or hours, minutes and seconds as on a clock. */
const SECONDS = String.raw`((?:(?:\d{1,4}:[0-5]\d|\d{1,6}):[0-5]\d|\d{1,10})(?:\.\d{1,6})?)s?`;
const TIME = new RegExp(`^${SECONDS}$`);
const RANGE = new RegExp(`^${SECONDS}-${SECONDS}$`);

/** Throws InvalidValueError. */
export function parsePlace(text: string): MomentPlace {
  const [, list, number] = NAMED.exec(text) ?? [];
  const kind = MOMENT_LISTS.find((one) => one === list);
  if (kind !== undefined) return { kind, number: Number(number) };
  const [, time] = TIME.exec(text) ?? [];
  if (time !== undefined) return { kind: 'time', t: msOf(time), precision_ms: precisionOf(time) };
  const [, from, to] = RANGE.exec(text) ?? [];
  if (from === undefined || to === undefined) {
    throw new InvalidValueError(
      'Write seconds such as 31-31.5 or 31.2, or a moment such as hitch:1.',
    );
  }
  const range = { from_ms: msOf(from), to_ms: msOf(to) };
  if (range.from_ms >= range.to_ms) {
    throw new InvalidValueError('The range must end after it begins.');
  }
  return { kind: 'range', ...range };
}

/** Parses `31.2` or `0:31.2` as milliseconds. Throws InvalidValueError. */
export function parseTime(text: string): number {
  const [, time] = TIME.exec(text) ?? [];
  if (time !== undefined) return msOf(time);
  throw new InvalidValueError('Write seconds such as 31.2, or 0:31.2 as on a clock.');
}

/** Milliseconds of `31.2` or `1:02:05`. Rounded to the precision of the format, because 31.7 × 1000 is not exact. */
function msOf(time: string): number {
  const seconds = time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return Math.round(seconds * 1e6) / 1e3;
}

/** The last decimal of a number of seconds in ms: 1000 for `31`, 100 for `31.0`. */
function precisionOf(seconds: string): number {
  const decimals = seconds.split('.')[1]?.length ?? 0;
  return 1000 / 10 ** decimals;
}

/** Finds the place in a trace. Throws an ExitError (1) that explains why it is not there. */
export function findPlace(
  model: TraceModel,
  place: MomentPlace,
  budget_ms: number,
  file: string,
): FoundMoment {
  const found = findMoment(model, place, budget_ms);
  if (!('missing' in found)) return found;
  const fail = (message: string, hint: string): never => {
    throw new ExitError(EXIT.unexpected, 'no_such_moment', message, { hint });
  };
  switch (found.missing) {
    case 'no_times':
      return fail(
        `Nothing in "${file}" has a time, so no part of it can be selected.`,
        'Folded stacks and empty traces have no times. Leave out the option.',
      );
    case 'outside':
      return fail(
        `"${file}" ends at ${secondsText(found.duration_ms)}, before this time.`,
        `Name a time before ${secondsText(found.duration_ms)}.`,
      );
    case 'no_frame':
      return fail(
        'No frame was running at this time: the game was paused, or the frames were not recorded.',
        'Name a range instead, such as 31-32.',
      );
    case 'not_listed':
      return fail(
        found.count === 0
          ? `"${file}" has no such moments.`
          : `"${file}" has ${found.count === 1 ? 'only one' : formatCount(found.count)} of these moments.`,
        `Run svc trace moments to list its moments.`,
      );
    default:
      return found satisfies never;
  }
}

/**
 * A time as seconds with three decimals, such as `31.245 s`. Rounded up, so that the time of a frame, typed into `--at`, is in that
 * frame and not in the one before.
 */
export function secondsText(ms: number): string {
  return `${(Math.ceil(Math.round(ms * 1e3) / 1e3) / 1000).toFixed(3)} s`;
}

/** The time that a reader named: `in 0:31`, or with decimals `from 31.2 s to 31.3 s`. */
export function namedTimeText(t: number, precision_ms: number): string {
  if (precision_ms >= 1000) return `in ${clockText(t).replace(/\.\d$/, '')}`;
  const decimals = Math.round(Math.log10(1000 / precision_ms));
  const text = (ms: number): string => `${(ms / 1000).toFixed(decimals)} s`;
  return `from ${text(t)} to ${text(t + precision_ms)}`;
}

/** `hitch:1`, or the kind of a moment without a number. */
export function momentName({ kind, number }: Pick<FoundMoment, 'kind' | 'number'>): string {
  return number === null ? kind : `${kind}:${number}`;
}

/** For example `hitch:1, 31.245 s to 31.457 s`. */
export function momentText(moment: FoundMoment): string {
  const range = `${secondsText(moment.from_ms)} to ${secondsText(moment.to_ms)}`;
  return moment.kind === 'range' ? range : `${momentName(moment)}, ${range}`;
}
