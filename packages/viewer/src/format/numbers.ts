// Formats numbers for display: sizes, times, shares, counts. One style everywhere, so that columns align.
import { bytesText } from '@svc/trace/number-text';

const NOTHING = '–';

/** A size as `bytesText` formats it, or a dash if it is unknown. */
export function formatBytes(bytes: number | null | undefined): string {
  return bytes === null || bytes === undefined ? NOTHING : bytesText(bytes);
}

/** Formats milliseconds in a suitable unit: `850 µs`, `16.7 ms`, `1.25 s`, `3 min 05 s`. */
export function formatMs(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return NOTHING;
  const sign = ms < 0 ? '−' : '';
  const value = Math.abs(ms);
  if (value === 0) return '0 ms';
  if (value < 0.9995) return `${sign}${threeFigures(value * 1000)} µs`;
  if (value < 999.5) return `${sign}${threeFigures(value)} ms`;
  if (value < 59_995) return `${sign}${threeFigures(value / 1000)} s`;
  return `${sign}${formatMinutes(value)}`;
}

function formatMinutes(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor(seconds / 60) % 60)} min`;
}

/**
 * Formats a time of the trace as on a clock: `1:02.350`. `step` is the interval of ticks in ms and sets the
 * precision.
 */
export function formatClock(t: number, step = 1): string {
  const sign = t < 0 ? '−' : '';
  const decimals = Math.min(6, Math.max(0, Math.ceil(3 - Math.log10(step) - 1e-9)));
  const total = Number((Math.abs(t) / 1000).toFixed(decimals));
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor(total / 60) % 60;
  const seconds = (total % 60).toFixed(decimals).padStart(decimals === 0 ? 2 : decimals + 3, '0');
  if (hours > 0) return `${sign}${hours}:${String(minutes).padStart(2, '0')}:${seconds}`;
  return `${sign}${minutes}:${seconds}`;
}

/** Formats a share, 0 to 1, in percent: `12.5 %`, `0.03 %`, `<0.01 %`. */
export function formatShare(share: number | null | undefined): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return NOTHING;
  const percent = share * 100;
  const size = Math.abs(percent);
  if (size > 0 && size < 0.01) return `${percent < 0 ? '−' : ''}<0.01 %`;
  const text = size >= 99.95 ? size.toFixed(0) : size >= 10 ? size.toFixed(1) : size.toFixed(2);
  return `${percent < 0 ? '−' : ''}${text} %`;
}

/** Numbers from this size are not exact counts in a double, and are shown as a power of ten. */
const POWER_FROM = 1e15;

/** Formats a count with thin spaces between thousands: `1 234 567`. Very large counts: `1.23 × 10²⁹`. */
export function formatCount(count: number | bigint | null | undefined): string {
  if (count === null || count === undefined) return NOTHING;
  if (typeof count === 'number' && Math.abs(count) >= POWER_FROM) return formatPower(count);
  const [whole = '', part] = String(typeof count === 'number' ? roundTo(count, 3) : count).split(
    '.',
  );
  const grouped = whole.replace('-', '−').replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
  return part === undefined ? grouped : `${grouped}.${part}`;
}

function formatPower(value: number): string {
  const [figures = '', power = ''] = value.toExponential(2).split('e+');
  const raised = [...power].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'.charAt(Number(digit))).join('');
  return `${figures.replace('-', '−')}\u202f×\u202f10${raised}`;
}

/** Formats a value in a trace's own unit: sizes and times as above, else the number with the unit. */
export function formatValue(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return NOTHING;
  if (unit === 'bytes') return formatBytes(value);
  if (unit === 'bytes a minute') return `${formatBytes(value)} a minute`;
  if (unit === 'ms' || unit === 'milliseconds') return formatMs(value);
  if (unit === 'us' || unit === 'µs' || unit === 'microseconds') return formatMs(value / 1000);
  if (unit === 'ns' || unit === 'nanoseconds') return formatMs(value / 1e6);
  if (unit === 's' || unit === 'seconds') return formatMs(value * 1000);
  if (unit === 'percent') return `${value.toFixed(value >= 99.95 ? 0 : 1)} %`;
  if (unit === '' || unit === 'count') return formatCount(value);
  return `${formatCount(value)} ${value === 1 ? singular(unit) : unit}`;
}

/** Returns the singular of the units that common samplers use. Other units are returned unchanged. */
function singular(unit: string): string {
  return /^(samples|frames|calls|events|draws|objects|allocations)$/.test(unit)
    ? unit.slice(0, -1)
    : unit;
}

/** Formats a count with a noun: `1 function`, `18 functions`. */
export function formatPlural(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
}

/** Formats a difference, always with its sign: `+1.2 MiB`, `−3.1 ms`, `±0`. */
export function formatDelta(
  delta: number | null | undefined,
  format: (value: number) => string,
): string {
  if (delta === null || delta === undefined) return NOTHING;
  if (delta === 0) return '±0';
  return `${delta > 0 ? '+' : '−'}${format(Math.abs(delta))}`;
}

function threeFigures(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

function roundTo(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}
