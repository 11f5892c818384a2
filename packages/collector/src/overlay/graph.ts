// The frame-time graph: a bar per frame, the newest on the right, and a line at the budget.
import type { RecentFrames } from './readings.ts';

/** Bars shown: two seconds at 60 Hz. */
export const BARS = 120;
const WIDTH = 296;
const HEIGHT = 56;
/** Height of the graph in budgets. Longer frames are cut off at the top. */
const BUDGETS_HIGH = 3;

export type Graph = {
  draw(frames: RecentFrames, budgetMs: number): void;
  /** Reads the colours again: of frames within budget, over it, over twice it, and of the line. */
  readColours(): void;
};

export function makeGraph(canvas: HTMLCanvasElement, styleOf: Element): Graph {
  const scale = Math.min(2, globalThis.devicePixelRatio || 1);
  canvas.width = WIDTH * scale;
  canvas.height = HEIGHT * scale;
  const context = canvas.getContext('2d');
  if (context === null) return { draw: () => {}, readColours: () => {} };
  let colours: string[] = [];
  const bar = canvas.width / BARS;
  return {
    readColours() {
      const style = getComputedStyle(styleOf);
      colours = ['--good', '--over', '--far', '--dim'].map((name) => style.getPropertyValue(name));
    },
    draw(frames, budgetMs) {
      const [good, over, far, line] = colours;
      context.clearRect(0, 0, canvas.width, canvas.height);
      let painted: string | undefined;
      const perMs = canvas.height / (BUDGETS_HIGH * budgetMs);
      for (let back = 0; back < Math.min(BARS, frames.count); back++) {
        const ms = frames.at(back);
        const colour = ms <= budgetMs * 1.1 ? good : ms <= budgetMs * 2 ? over : far;
        if (colour !== painted) context.fillStyle = colour ?? '';
        painted = colour;
        const height = Math.min(canvas.height, ms * perMs);
        context.fillRect(canvas.width - (back + 1) * bar, canvas.height - height, bar - 1, height);
      }
      context.fillStyle = line ?? '';
      context.fillRect(0, canvas.height - budgetMs * perMs, canvas.width, 1);
    },
  };
}
