// The scale of frame times: linear up to three budgets, then logarithmic up to the slowest frame. Pure.
import { formatMs } from '../format/numbers.ts';

/** `breakMs` is the frame time from which on the scale is logarithmic, equal to `topMs` if it is linear to the top. */
export type FrameScale = {
  readonly budgetMs: number;
  readonly breakMs: number;
  readonly topMs: number;
  /** The part of the height up to `breakMs`, from 0.5 to 1. */
  readonly linear: number;
};

/** A labelled frame time. `part` is its height, from 0 to 1. */
export type FrameTick = {
  readonly ms: number;
  readonly part: number;
  readonly label: string;
};

const LINEAR_BUDGETS = 3;
/** The largest part of the height that is logarithmic. */
const MOST_LOGARITHMIC = 0.5;

/**
 * Returns the scale for a budget and the slowest frame, in ms. If the slowest frame is at most three budgets long, the scale
 * is linear and ends at three budgets. Otherwise both parts have the same slope where they meet, until the logarithmic part
 * has half of the height.
 */
export function frameScale(budgetMs: number, slowestMs: number): FrameScale {
  const breakMs = LINEAR_BUDGETS * budgetMs;
  if (!(slowestMs > breakMs)) return { budgetMs, breakMs, topMs: breakMs, linear: 1 };
  const times = Math.log(slowestMs / breakMs);
  const linear = 1 - Math.min(MOST_LOGARITHMIC, times / (1 + times));
  return { budgetMs, breakMs, topMs: slowestMs, linear };
}

/** Returns the height of a frame time, from 0 to 1. A frame beyond the top has the height 1. */
export function framePart({ breakMs, topMs, linear }: FrameScale, ms: number): number {
  if (ms >= topMs) return 1;
  if (ms <= breakMs) return Math.max(0, ms / breakMs) * linear;
  return linear + (1 - linear) * (Math.log(ms / breakMs) / Math.log(topMs / breakMs));
}

/**
 * Returns the ticks from the bottom to the top that are at least `apart` from each other, a part of the height. The budget,
 * the change of scale and the slowest frame come first, then 2 budgets, then 1, 2 and 5 times powers of ten.
 */
export function frameTicks(scale: FrameScale, apart: number): FrameTick[] {
  const { budgetMs, breakMs, topMs } = scale;
  const tick = (ms: number, label: string): FrameTick => {
    return { ms, label, part: framePart(scale, ms) };
  };
  const wanted = [
    tick(budgetMs, `budget ${shortMs(budgetMs)}`),
    tick(breakMs, `3× ${shortMs(breakMs)}`),
    ...(topMs > breakMs ? [tick(topMs, formatMs(topMs))] : []),
    tick(2 * budgetMs, `2× ${shortMs(2 * budgetMs)}`),
    ...roundBetween(breakMs, topMs).map((ms) => tick(ms, shortMs(ms))),
  ];
  const shown: FrameTick[] = [];
  for (const one of wanted) {
    if (shown.every(({ part }) => Math.abs(part - one.part) >= apart)) shown.push(one);
  }
  return shown.sort((a, b) => a.ms - b.ms);
}

/** Returns 1, 2 and 5 times powers of ten between two times, powers of ten first. Minutes and hours are round, too. */
function roundBetween(from: number, to: number): number[] {
  const found: number[] = [];
  for (const factor of [1, 5, 2]) {
    for (let power = -3; power <= 16; power++) {
      const ms = factor * 10 ** power;
      if (ms > from && ms < to) found.push(ms);
    }
  }
  return found;
}

/** A tick's time without superfluous zeros: `16.7 ms`, `100 ms`, `2 s`. */
function shortMs(ms: number): string {
  return formatMs(ms).replace(/\.0+(?= )/, '');
}
