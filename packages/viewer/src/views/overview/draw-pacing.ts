// Draws the longest frame of each part of a recording as bars on the scale of frame times, with the budget as a line.

import { type Pacing, pacingClass } from '@svc/trace';
import type { ChartSize } from '../../controls/chart-canvas.tsx';
import { framePart, frameScale } from '../../draw/frame-scale.ts';
import type { Pen } from '../../draw/pen.ts';
import type { Colours, Token } from '../../draw/tokens.ts';

/** The colour of each class of frames. */
const TOKENS: readonly Token[] = ['frame-within', 'frame-over', 'frame-far'];

type Look = { readonly size: ChartSize; readonly colours: Colours };

export function drawPacing(pen: Pen, { longest, stats }: Pacing, { size, colours }: Look): void {
  const budget = stats.budget_ms;
  const { width, height: full } = size;
  const scale = frameScale(budget, stats.max_ms ?? 0);
  const heightOf = (ms: number): number => framePart(scale, ms) * (full - 2);
  const bar = width / longest.length;
  pen.rect(0, 0, width, full, colours['surface']);
  longest.forEach((ms, index) => {
    if (ms === 0) return;
    const height = Math.max(1, heightOf(ms));
    const fill = colours[TOKENS[pacingClass(ms, budget)] ?? 'frame-far'];
    pen.rect(index * bar, full - height, Math.max(1, bar - 0.5), height, fill);
  });
  const y = Math.round(full - heightOf(budget));
  for (let x = 0; x < width; x += 6) pen.rect(x, y, 3, 1, colours['ink-muted']);
}
