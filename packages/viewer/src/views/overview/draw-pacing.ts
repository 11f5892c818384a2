// Draws the longest frame of each part of a recording as bars, with the budget as a line.
import { type Pacing, pacingClass } from '@svc/trace';
import type { Pen } from '../../draw/pen.ts';
import type { Colours, Token } from '../../draw/tokens.ts';

export const PACING_HEIGHT = 84;

/** The colour of each class of frames. */
const TOKENS: readonly Token[] = ['frame-within', 'frame-over', 'frame-far'];

type Look = { readonly width: number; readonly colours: Colours };

export function drawPacing(pen: Pen, { longest, stats }: Pacing, { width, colours }: Look): void {
  const budget = stats.budget_ms;
  const top = Math.max(stats.max_ms ?? 0, budget * 3);
  const heightOf = (ms: number): number => Math.sqrt(ms / top) * (PACING_HEIGHT - 2);
  const bar = width / longest.length;
  pen.rect(0, 0, width, PACING_HEIGHT, colours['surface']);
  longest.forEach((ms, index) => {
    if (ms === 0) return;
    const height = Math.max(1, heightOf(ms));
    const fill = colours[TOKENS[pacingClass(ms, budget)] ?? 'frame-far'];
    pen.rect(index * bar, PACING_HEIGHT - height, Math.max(1, bar - 0.5), height, fill);
  });
  const y = Math.round(PACING_HEIGHT - heightOf(budget));
  for (let x = 0; x < width; x += 6) pen.rect(x, y, 3, 1, colours['ink-muted']);
}
