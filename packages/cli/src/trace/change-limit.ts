// Limits for CI: `p95_ms+10%`, `average_fps-5%`, `rss_max_bytes+20MiB`.
import { type ChangeLimit, hasRatio, METRIC_NAMES, METRICS } from '@svc/trace';
import { InvalidValueError } from '../command-line/define-command.ts';

/** A limit as it was given, and its meaning. */
export type NamedLimit = { readonly text: string; readonly limit: ChangeLimit };

const LIMIT = /^([a-z][a-z0-9_]*)([+-])(\d{1,15}(?:\.\d{1,6})?)(%|[A-Za-z]*)$/;

const SIZES: Readonly<Record<string, number>> = {
  '': 1,
  ...{ B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, KB: 1e3, MB: 1e6, GB: 1e9 },
};
const UNITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  bytes: SIZES,
  bytes_per_minute: SIZES,
  ms: { '': 1, ms: 1 },
  ms_per_minute: { '': 1, ms: 1 },
  fps: { '': 1, fps: 1 },
};

/** Throws InvalidValueError with the next step. */
export function parseLimit(text: string): NamedLimit {
  const [, name, sign, digits = '', unit = ''] = LIMIT.exec(text) ?? [];
  if (name === undefined) {
    throw new InvalidValueError(
      'Write a metric and the change that is allowed, such as p95_ms+10% or average_fps-5%. Name the two traces before this option.',
    );
  }
  const metric = METRIC_NAMES.find((one) => one === name);
  if (metric === undefined) {
    throw new InvalidValueError(
      `There is no metric ${name}. Use one of ${METRIC_NAMES.join(', ')}.`,
    );
  }
  const worse = METRICS[metric].better === 'less' ? '+' : '-';
  if (sign !== worse) {
    throw new InvalidValueError(
      `${metric} is worse if it ${worse === '+' ? 'rises' : 'falls'}: write ${metric}${worse}${digits}${unit}.`,
    );
  }
  const relative = unit === '%';
  if (relative && !hasRatio(metric)) {
    throw new InvalidValueError(
      `${metric} can be 0 or negative, so a percentage of it means nothing. Write an amount, such as ${metric}+1MiB.`,
    );
  }
  const factor = relative ? 0.01 : factorOf(METRICS[metric].unit, unit);
  return { text, limit: { metric, amount: Number(digits) * factor, relative } };
}

function factorOf(metricUnit: string, unit: string): number {
  const units = UNITS[metricUnit] ?? { '': 1 };
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (factor !== undefined) return factor;
  const known = Object.keys(units).filter((one) => one !== '');
  const also = known.length === 0 ? '' : `, or with ${known.join(', ')}`;
  throw new InvalidValueError(`Write a percentage, or a number without a unit${also}.`);
}
