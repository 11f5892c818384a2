// Memory that rises and falls repeatedly, for example because levels are loaded and unloaded.
import { bytesText } from '../../derive/facts/number-text.ts';
import { type Rule, rounded } from '../findings/finding.ts';

/** Smallest drop from a peak, as a fraction of the peak and in bytes. Less may be a cache or the allocator. */
const FALL_SHARE = 0.25;
const FALL_BYTES = 32 * 1_048_576;
/** A single drop may be a level that was unloaded. */
const FEWEST_FALLS = 2;

type Fall = { readonly from: number; readonly t: number; readonly bytes: number };

export const memorySwings: Rule = ({ model }) => {
  const [process] = model.process;
  if (process === undefined) return null;
  const falls = fallsOf(process.t, process.rss_bytes);
  const [first] = falls;
  if (first === undefined || falls.length < FEWEST_FALLS) return null;
  const largest = falls.reduce((most, { bytes }) => Math.max(most, bytes), 0);
  return {
    id: 'memory_swings',
    severity: 'info',
    title: `Memory rises and falls by up to ${bytesText(largest)}, ${falls.length} times`,
    detail:
      'The same amount is allocated and freed repeatedly, for example when levels are loaded and unloaded. Check that the peak fits the smallest machine, and keep data that the next level uses too.',
    evidence: falls.slice(0, 6).map(({ from, t, bytes }) => ({
      label: 'fall of RSS',
      value: bytes,
      unit: 'bytes',
      t: from,
      duration_ms: rounded(t - from),
    })),
    impact: falls.length,
  };
};

/** Drops from a peak to the following trough. A small rise in between does not end a drop. */
function fallsOf(t: Float64Array, rss: Float64Array): Fall[] {
  const falls: Fall[] = [];
  let peak = 0;
  let trough = 0;
  const isFall = (): boolean => {
    const [high, low] = [rss[peak] ?? 0, rss[trough] ?? 0];
    return high - low >= Math.max(high * FALL_SHARE, FALL_BYTES);
  };
  const addFall = (): void => {
    const bytes = (rss[peak] ?? 0) - (rss[trough] ?? 0);
    if (isFall()) falls.push({ from: t[peak] ?? 0, t: t[trough] ?? 0, bytes });
  };
  for (let i = 0; i < rss.length; i++) {
    const value = rss[i] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    const low = rss[trough] ?? 0;
    if (value >= (rss[peak] ?? 0) || (isFall() && value - low >= FALL_BYTES / 2)) {
      addFall();
      peak = i;
      trough = i;
    } else if (value < low) trough = i;
  }
  addFall();
  return falls;
}
