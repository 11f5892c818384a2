// The visible part of a flame graph, and how zooms and moves change it. Pure.

/** Horizontally in weights, vertically in CSS pixels. */
export type Viewport = { readonly x0: number; readonly x1: number; readonly top: number };
type Extent = { readonly span: number; readonly rows: number };

/** The smallest visible part of the whole. Below it doubles are not precise enough. */
const NARROWEST = 1e-12;

/** Limits the visible part to the graph. */
export function clampViewport(
  { x0, x1, top }: Viewport,
  { span, rows }: Extent,
  height: number,
  rowPx: number,
): Viewport {
  const width = Math.min(span, Math.max(x1 - x0, span * NARROWEST));
  const left = Math.min(Math.max(0, x0), span - width);
  const most = Math.max(0, rows * rowPx - height);
  return { x0: left, x1: left + width, top: Math.min(Math.max(0, top), most) };
}

/** Zooms by `factor` (below 1 zooms in) around a point, given as a part of the width. */
export function zoomViewport({ x0, x1, top }: Viewport, at: number, factor: number): Viewport {
  const point = x0 + (x1 - x0) * at;
  return { x0: point - (point - x0) * factor, x1: point + (x1 - point) * factor, top };
}

/** Moves horizontally by a part of the width, and vertically by pixels. */
export function panViewport({ x0, x1, top }: Viewport, part: number, down: number): Viewport {
  const by = (x1 - x0) * part;
  return { x0: x0 + by, x1: x1 + by, top: top + down };
}

/** Shows a box over the whole width, with its row in view. */
export function viewportOfBox(
  box: { readonly x0: number; readonly x1: number; readonly row: number },
  viewport: Viewport,
  height: number,
  rowPx: number,
): Viewport {
  const y = box.row * rowPx;
  const inView = y >= viewport.top && y + rowPx <= viewport.top + height;
  return { x0: box.x0, x1: box.x1, top: inView ? viewport.top : y - height / 3 };
}

type Box = { readonly x0: number; readonly x1: number };
type Growth = {
  readonly before: Extent;
  readonly after: Extent;
  /** A box before and after. Null if there was none, or it is gone. */
  readonly was: Box | null;
  readonly again: Box | null;
};

/**
 * Returns the visible part of a graph that has grown: all of it if all was visible, else the box at its place, else
 * the same part.
 */
export function viewportAfterGrowth(
  viewport: Viewport,
  { before, after, was, again }: Growth,
): Viewport {
  const { top } = viewport;
  if (viewport.x0 <= 0 && viewport.x1 >= before.span) return { x0: 0, x1: after.span, top };
  if (was === null || again === null) {
    const scale = before.span === 0 ? 1 : after.span / before.span;
    return { x0: viewport.x0 * scale, x1: Math.min(after.span, viewport.x1 * scale), top };
  }
  const scale = (again.x1 - again.x0) / (was.x1 - was.x0);
  const place = (x: number): number => again.x0 + (x - was.x0) * scale;
  return { x0: Math.max(0, place(viewport.x0)), x1: Math.min(after.span, place(viewport.x1)), top };
}

type Answer = {
  readonly box: number;
  readonly name: string;
  readonly x0: number;
  readonly total: number;
};

/** Returns whether two answers describe the same box with the same numbers. */
export function isSameBox(a: Answer | null, b: Answer | null): boolean {
  if (a === null || b === null) return a === b;
  return a.box === b.box && a.name === b.name && a.x0 === b.x0 && a.total === b.total;
}
