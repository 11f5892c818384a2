// Draws the histogram of frame times. Heights are the square root of the count, so that a single hitch stays visible.
import { frameBands, frameToken } from '../../draw/frame-bands.ts';
import type { Pen } from '../../draw/pen.ts';
import type { Colours } from '../../draw/tokens.ts';
import { formatPlural } from '../../format/numbers.ts';
import type { Histogram } from './derive-frames.ts';

/** The bounds of the height, in CSS pixels. */
export const HISTOGRAM_HEIGHT = { least: 220, most: 700 } as const;
const AXIS = 34;
const TOP = 18;

type Look = {
  readonly budgetMs: number;
  readonly width: number;
  readonly height: number;
  readonly colours: Colours;
};

export function drawHistogram(
  pen: Pen,
  { binMs, counts }: Histogram,
  { budgetMs, width, height, colours }: Look,
): void {
  const base = height - AXIS;
  const highest = Math.max(0, ...counts);
  const most = Math.max(1, highest);
  const bin = width / counts.length;
  const bands = frameBands(budgetMs);
  pen.rect(0, 0, width, height, colours['surface']);
  pen.rect(0, base, width, 1, colours['line-strong']);
  counts.forEach((count, index) => {
    if (count === 0) return;
    const tall = Math.max(2, Math.sqrt(count / most) * (base - TOP));
    pen.rect(
      index * bin,
      base - tall,
      Math.max(1, bin - 1),
      tall,
      colours[frameToken(bands, (index + 0.5) * binMs)],
    );
  });
  for (const budgets of [0, 1, 2, 3, 4, 5]) {
    const x = ((budgets * budgetMs) / binMs) * bin;
    if (budgets > 0) {
      for (let y = TOP; y < base; y += 5) pen.rect(Math.round(x), y, 1, 2, colours['ink-muted']);
    }
    const text = budgets === 0 ? '0' : `${(budgets * budgetMs).toFixed(1)} ms`;
    pen.text(
      x + (budgets === 0 ? 2 : 0),
      base + 10,
      text,
      colours['ink-muted'],
      11,
      budgets === 0 ? 'left' : 'center',
    );
  }
  pen.text(width - 2, base + 10, 'longer', colours['ink-muted'], 11, 'right');
  pen.text(
    0,
    base + 25,
    'Heights are the square root of the number of frames',
    colours['ink-muted'],
    10,
    'left',
  );
  pen.text(
    2,
    8,
    highest === 0
      ? 'No frames'
      : `At most ${formatPlural(highest, 'frame')} in a bar of ${binMs.toFixed(2)} ms`,
    colours['ink-muted'],
    10,
    'left',
  );
}
