// A heap that fills and empties again and again: garbage is made every frame, and collecting it takes main-thread time.
import { mebibytes, milliseconds, type Rule, rounded } from '../findings/finding.ts';

/** A fall by this part of the heap is a collection … */
const FALL_SHARE = 0.15;
/** … unless it is smaller than this. */
const FALL_BYTES = 2 * 1_048_576;
/** Fewer can be a level that was unloaded. */
const FEWEST_FALLS = 4;
/** Less garbage than this a second is no burden. */
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
    title: `The heap is filled and collected every ${milliseconds(every)}`,
    detail: `The game allocates about ${mebibytes(rate)} a second, and ${falls.length} collections took it back. Reuse objects and arrays in code that runs every frame; an allocation profile shows where they come from.`,
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
