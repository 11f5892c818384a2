// A JS heap that fills and empties repeatedly: the game allocates garbage, and its collection takes main-thread time.
import { bytesText } from '../../derive/facts/number-text.ts';
import { milliseconds, type Rule, rounded } from '../findings/finding.ts';

/** A drop by this fraction of the heap is a collection … */
const FALL_SHARE = 0.15;
/** … unless it is smaller than this. */
const FALL_BYTES = 2 * 1_048_576;
/** Fewer drops may be levels that were unloaded. */
const FEWEST_FALLS = 4;
/** Less garbage per second is not a problem. */
const GARBAGE_PER_S = 4 * 1_048_576;

export const heapSawtooth: Rule = ({ model }) => {
  const heap = model.counters.find((counter) => counter.name === 'js_heap_bytes');
  if (heap === undefined || heap.t.length < 2) return null;
  const falls: { t: number; bytes: number }[] = [];
  let rises = 0;
  for (let i = 1; i < heap.t.length; i++) {
    const before = heap.value[i - 1] ?? 0;
    const change = (heap.value[i] ?? 0) - before;
    if (change > 0) rises += change;
    else if (-change >= Math.max(before * FALL_SHARE, FALL_BYTES)) {
      falls.push({ t: heap.t[i] ?? 0, bytes: -change });
    }
  }
  const seconds = ((heap.t.at(-1) ?? 0) - (heap.t[0] ?? 0)) / 1000;
  const rate = seconds > 0 ? rises / seconds : 0;
  if (falls.length < FEWEST_FALLS || rate < GARBAGE_PER_S) return null;
  const every = ((falls.at(-1)?.t ?? 0) - (falls[0]?.t ?? 0)) / (falls.length - 1);
  return {
    id: 'heap_sawtooth',
    severity: 'warning',
    title: `The heap fills up and is collected every ${milliseconds(every)}`,
    detail: `The game allocates about ${bytesText(rate)} per second, and ${falls.length} collections freed it. Reuse objects and arrays in code that runs every frame; an allocation profile shows where they come from.`,
    evidence: [
      { label: 'allocated', value: rounded(rate), unit: 'bytes a second' },
      ...falls.slice(0, 6).map((fall) => ({
        label: 'collection',
        value: fall.bytes,
        unit: 'bytes',
        t: fall.t,
      })),
    ],
    impact: falls.length,
  };
};
