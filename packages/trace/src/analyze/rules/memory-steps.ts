// Memory that grows in steps and never returns, for example with each level that is loaded.
import { bytesText, nameText } from '../../derive/facts/number-text.ts';
import type { ProcessColumns, TraceModel } from '../../model/trace-model.ts';
import { MOST_EVIDENCE, type Rule, rounded } from '../findings/finding.ts';
import { START_UP_MS } from '../findings/start-up.ts';

/** A step is level for this number of samples before and after it. */
const LEVEL_SAMPLES = 8;
/** Most samples between the two levels: a load takes a while. */
const LONGEST_RISE = 6;
/** Smallest step, as a fraction of the level before it and in bytes. Less may be a cache or the allocator. */
const STEP_SHARE = 0.05;
const STEP_BYTES = 8 * 1_048_576;
/** A step is this much higher than the ups and downs of both levels. A slope has none. */
const CLEAR_FACTOR = 2;
/** Memory stays if never more than this fraction of the step is given back. */
const RETURNED_SHARE = 0.5;
/** Fewer steps may be content that is loaded once. */
const FEWEST_STEPS = 3;
/** A mark this long before a step may name its cause. */
const MARK_BEFORE_MS = 3000;
/** From this fraction of the first level on, the growth is critical. */
const CRITICAL_SHARE = 0.5;

type Step = {
  readonly from: number;
  readonly to: number;
  readonly before: number;
  readonly bytes: number;
};

export const memorySteps: Rule = ({ model }) => {
  const found = model.process.map(stepsOf).filter(({ length }) => length >= FEWEST_STEPS);
  const [steps] = found.toSorted((a, b) => bytesOf(b) - bytesOf(a));
  if (steps === undefined) return null;
  const bytes = bytesOf(steps);
  return {
    id: 'memory_steps',
    severity: bytes > (steps[0]?.before ?? 0) * CRITICAL_SHARE ? 'critical' : 'warning',
    title: `RSS grows in ${steps.length} steps that stay, by ${bytesText(bytes)} in all`,
    detail: `Each step adds ${bytesText(bytes / steps.length)} on average, and the memory is never freed. Something is loaded and kept, for example each level. Find out what the game loads at these times, and free what the scene before it used: textures, buffers, caches and listeners.`,
    evidence: steps.slice(0, MOST_EVIDENCE).map((step) => ({
      label: labelOf(step, model),
      value: Math.round(step.bytes),
      unit: 'bytes',
      t: step.from,
      duration_ms: rounded(step.to - step.from),
    })),
    impact: bytes / 1_048_576,
  };
};

function bytesOf(steps: readonly Step[]): number {
  return steps.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The steps that stay until the end. */
function stepsOf({ t: times, rss_bytes }: ProcessColumns): Step[] {
  const begin = times.findIndex((one) => one >= START_UP_MS);
  const t = times.subarray(begin === -1 ? times.length : begin);
  const value = rss_bytes.subarray(rss_bytes.length - t.length);
  const lowestFrom = value.slice();
  for (let i = value.length - 2; i >= 0; i--) {
    lowestFrom[i] = Math.min(lowestFrom[i] ?? 0, lowestFrom[i + 1] ?? 0);
  }
  const steps: Step[] = [];
  let end = LEVEL_SAMPLES;
  while (end + LEVEL_SAMPLES <= value.length) {
    const start = startAfter(value, end);
    if (start === null) {
      end++;
      continue;
    }
    const before = middle(value, end - LEVEL_SAMPLES);
    const bytes = middle(value, start) - before;
    if ((lowestFrom[start] ?? 0) >= before + bytes * (1 - RETURNED_SHARE)) {
      const from = t[lastBefore(value, end, start)] ?? 0;
      steps.push({ from, to: t[start] ?? 0, before, bytes });
    }
    end = start + LEVEL_SAMPLES;
  }
  return steps;
}

/** The first sample of the level to which memory rises after the level that ends before `end`, or null if it does not. */
function startAfter(value: Float64Array, end: number): number | null {
  const low = rangeOf(value, end - LEVEL_SAMPLES);
  const least = Math.max(low.max * STEP_SHARE, STEP_BYTES);
  const last = Math.min(end + LONGEST_RISE, value.length - LEVEL_SAMPLES);
  for (let start = end; start <= last; start++) {
    const high = rangeOf(value, start);
    const step = high.min - low.max;
    const noise = Math.max(high.max - high.min, low.max - low.min);
    if (step >= least && step >= noise * CLEAR_FACTOR) return start;
  }
  return null;
}

/** The last sample that is still at the level which ends before `end`. */
function lastBefore(value: Float64Array, end: number, start: number): number {
  const { max } = rangeOf(value, end - LEVEL_SAMPLES);
  let last = start - 1;
  while (last >= end && (value[last] ?? 0) > max) last--;
  return last;
}

function rangeOf(value: Float64Array, from: number): { min: number; max: number } {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = from; i < from + LEVEL_SAMPLES; i++) {
    min = Math.min(min, value[i] ?? 0);
    max = Math.max(max, value[i] ?? 0);
  }
  return { min, max };
}

/** The middle of the range of the level that begins at `from`. */
function middle(value: Float64Array, from: number): number {
  const { min, max } = rangeOf(value, from);
  return (min + max) / 2;
}

function labelOf({ from, to }: Step, { marks }: TraceModel): string {
  const mark = marks.findLast(({ t }) => t >= from - MARK_BEFORE_MS && t <= to);
  return mark === undefined ? 'step' : `step at the mark ${nameText(mark.name)}`;
}
