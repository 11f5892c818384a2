// Draws the memory of two traces over each other: one panel for each line, on one scale and from the same start.
import { hatch } from '../../draw/hatch.ts';
import type { Pen } from '../../draw/pen.ts';
import { byteStep, ticksBetween, timeStep } from '../../draw/ticks.ts';
import { type TimeRange, timeToX } from '../../draw/time-axis.ts';
import type { Colours, Token } from '../../draw/tokens.ts';
import { formatBytes, formatClock } from '../../format/numbers.ts';
import { linePoints } from '../timeline/layout/columns.ts';
import type { Curve, CurvePair } from './pair-curves.ts';

export const BEFORE_TOKEN: Token = 'data-2';
export const AFTER_TOKEN: Token = 'data-1';
const LEAST_PANEL = 150;
const MOST_PANEL = 340;
const TITLE = 22;
const AXIS = 20;

/** The least and the most height of all panels, in CSS pixels. */
export function curvesHeight(pairs: readonly CurvePair[]): { least: number; most: number } {
  const heightOf = (panel: number): number => pairs.length * panel + AXIS;
  return { least: heightOf(LEAST_PANEL), most: heightOf(MOST_PANEL) };
}

export function drawCurves(
  pen: Pen,
  pairs: readonly CurvePair[],
  { width, height }: { readonly width: number; readonly height: number },
  colours: Colours,
): void {
  const panel = (height - AXIS) / Math.max(1, pairs.length);
  const view: TimeRange = { from: 0, to: Math.max(1, ...pairs.map(latest)) };
  pen.rect(0, 0, width, height, colours['surface']);
  const step = timeStep(view.to, width / 90);
  const base = pairs.length * panel;
  for (const t of ticksBetween(0, view.to, step)) {
    const x = timeToX(view, width, t);
    pen.rect(Math.round(x), 0, 1, base, colours['data-grid']);
    const align = x < 24 ? 'left' : x > width - 28 ? 'right' : 'center';
    pen.text(x, base + 10, formatClock(t, step), colours['ink-muted'], 11, align);
  }
  for (const [index, pair] of pairs.entries()) {
    drawPanel(pen, pair, { view, width, colours, top: index * panel, height: panel });
  }
}

type Panel = {
  readonly view: TimeRange;
  readonly width: number;
  readonly colours: Colours;
  readonly top: number;
  readonly height: number;
};

function drawPanel(pen: Pen, pair: CurvePair, { view, width, colours, top, height }: Panel): void {
  const most = Math.max(1, peak(pair.before), peak(pair.after)) * 1.08;
  const base = top + height - 1;
  const toY = (value: number): number => base - (value / most) * (height - TITLE);
  const step = byteStep(most / 3);
  pen.rect(0, base, width, 1, colours['line-strong']);
  for (const value of ticksBetween(step, most, step)) {
    const y = toY(value);
    pen.rect(0, Math.round(y), width, 1, colours['data-grid']);
    pen.text(width - 4, y + 7, formatBytes(value), colours['ink-muted'], 10, 'right');
  }
  const toX = (t: number): number => timeToX(view, width, t);
  const draw = (curve: Curve | null, token: Token, thick: number): void => {
    if (curve === null) return;
    for (const { t, duration } of curve.gaps) {
      const [left, right] = [Math.max(0, toX(t)), Math.min(width, toX(t + duration))];
      hatch(pen, { left, right, top: top + TITLE, height: height - TITLE - 1 }, colours[token]);
    }
    const { xs, ys } = linePoints(curve, { view, toX, toY, gaps: curve.gaps });
    pen.line(xs, ys, colours[token], thick);
  };
  // The line of the trace before is thicker, so that it stays visible below an equal one.
  draw(pair.before, BEFORE_TOKEN, 4);
  draw(pair.after, AFTER_TOKEN, 1.5);
  pen.text(4, top + 11, `${pair.label}, ${pair.source}`, colours['ink'], 12, 'left');
}

function latest({ before, after }: CurvePair): number {
  return Math.max(before?.t.at(-1) ?? 0, after?.t.at(-1) ?? 0);
}

function peak(curve: Curve | null): number {
  let most = 0;
  for (const value of curve?.value ?? []) if (value > most) most = value;
  return most;
}
