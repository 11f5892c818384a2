// How frame times are told apart by colour: by one frame at 60 and at 30 fps, and by the person's own budget. Pure.
import { isOverBudget } from '@svc/trace';
import type { Token } from './tokens.ts';

/** Frames up to `upToMs` have the colour; the last band has no end. */
export type FrameBand = { readonly upToMs: number; readonly token: Token };

/** One frame at 60 and at 30 fps, in ms. */
export const FIXED_LIMITS_MS = [1000 / 60, 1000 / 30] as const;
/** Limits nearer to each other than this are one. */
const SAME_MS = 0.05;

/** The bands of a budget, shortest first: three where it is one of the fixed limits, else four. */
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

/** The colour of a frame that took so long. */
export function frameToken(bands: readonly FrameBand[], ms: number): Token {
  for (const { upToMs, token } of bands) if (!isOverBudget(ms, upToMs)) return token;
  return 'frame-far';
}

/** The longest frame that a strip shows in full: twice 33.3 ms, or twice the budget where that is more. */
export function stripTopMs(budgetMs: number): number {
  return 2 * Math.max(FIXED_LIMITS_MS[1], budgetMs);
}
