// Formats the values of metrics and their changes.
import { bytesText, METRICS, type MetricName } from '@svc/trace';
import { formatCount } from '../output/text.ts';

/** A ratio as a percentage: `12.5 %`, `1,806 %`. */
export function formatRatio(ratio: number): string {
  const percent = ratio * 100;
  return `${shortNumber(percent, 1)} %`;
}

/** A value of a metric with its unit. Rates per minute have only the unit of what is counted, because their names say the rest. */
export function formatMetric(metric: MetricName, value: number | null): string {
  if (value === null) return '?';
  const number = shortNumber(value, 2);
  switch (METRICS[metric].unit) {
    case 'bytes':
    case 'bytes_per_minute':
      return bytesText(value);
    case 'ms':
    case 'ms_per_minute':
      return `${number} ms`;
    case 'fps':
      return value.toFixed(1);
    case 'percent':
      return `${value.toFixed(1)} %`;
    default:
      return number;
  }
}

/** Whole numbers from 100 on, grouped, and at most `decimals` decimals below. */
function shortNumber(value: number, decimals: number): string {
  return Math.abs(value) >= 100
    ? formatCount(Math.round(value))
    : String(Math.round(value * 10 ** decimals) / 10 ** decimals);
}
