// The colours of frame times, by the limits of 60 and 30 fps and the user's own budget. Pure.
import { isOverBudget } from '@svc/trace';
import type { Token } from './tokens.ts';

/** Frames of at most `upToMs` have this colour. The last band is infinite. */
type FrameBand = { readonly upToMs: number; readonly token: Token };

/** One frame at 60 and at 30 fps, in ms. */
const FIXED_LIMITS_MS = [1000 / 60, 1000 / 30] as const;
/** Limits closer than this count as one. */
const SAME_MS = 0.05;

/** Returns the bands of a budget, shortest first: three if the budget is one of the fixed limits, else four. */
export function frameBands(budgetMs: number): readonly FrameBand[] {
  const own = !FIXED_LIMITS_MS.some((limit) => Math.abs(limit - budgetMs) < SAME_MS);
  const limits = [...FIXED_LIMITS_MS, ...(own ? [budgetMs] : [])].sort((a, b) => a - b);
  const tokens: readonly Token[] = own
    ? ['frame-within', 'frame-near', 'frame-over', 'frame-far']
    : ['frame-within', 'frame-over', 'frame-far'];
  return tokens.map((token, index) => ({
    token,
    upToMs: limits[index] ?? Number.POSITIVE_INFINITY,
  }));
}

/** Returns the colour of a frame time. */
export function frameToken(bands: readonly FrameBand[], ms: number): Token {
  for (const { upToMs, token } of bands) if (!isOverBudget(ms, upToMs)) return token;
  return 'frame-far';
}
