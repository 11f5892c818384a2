// The names, values and changes of metrics in words.
import { bytesText } from '../facts/number-text.ts';
import { METRICS, type MetricName } from './trace-metrics.ts';

/** The names of metrics, to start a sentence. */
export const METRIC_WORDS: Readonly<Record<MetricName, string>> = {
  average_fps: 'The average frame rate',
  low_1_percent_fps: 'The frame rate of the slowest 1 % of frames',
  p50_ms: 'The median frame time',
  p95_ms: 'The 95th percentile of the frame time',
  p99_ms: 'The 99th percentile of the frame time',
  max_ms: 'The time of the longest frame',
  hitches_per_minute: 'The number of hitches per minute',
  over_ms_per_minute: 'The time over budget per minute',
  cpu_mean_percent: 'The mean CPU use',
  cpu_max_percent: 'The highest CPU use',
  heap_mean_bytes: 'The mean JS heap',
  heap_max_bytes: 'The largest JS heap',
  heap_bytes_per_minute: 'The growth of the JS heap per minute',
  rss_mean_bytes: 'The mean RSS',
  rss_max_bytes: 'The largest RSS',
  rss_bytes_per_minute: 'The growth of RSS per minute',
  pss_mean_bytes: 'The mean PSS',
  pss_max_bytes: 'The largest PSS',
  pss_bytes_per_minute: 'The growth of PSS per minute',
  gpu_mean_bytes: 'The mean GPU memory',
  gpu_max_bytes: 'The largest GPU memory',
  gpu_bytes_per_minute: 'The growth of GPU memory per minute',
  asset_cost: 'The cost of all assets in frame budgets',
  asset_bytes: 'The size of all assets',
  asset_gpu_bytes: 'The GPU memory of all assets',
};

/** A ratio as a percentage: `12.5 %`, `1,806 %`. */
export function ratioText(ratio: number): string {
  return `${shortNumber(ratio * 100, 1)} %`;
}

/**
 * A value of a metric with its unit; `?` if it is unknown. Rates per minute have only the unit of what is counted, because their
 * names say the rest.
 */
export function metricText(metric: MetricName, value: number | null): string {
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
    ? String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
    : String(Math.round(value * 10 ** decimals) / 10 ** decimals);
}
