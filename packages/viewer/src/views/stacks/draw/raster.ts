// Draws the boxes of a flame graph into pixels. The cost depends on the pixels, not on the boxes: each row is drawn
// as one line of pixels and copied to its height, and a search skips boxes thinner than a pixel.
import { type FlameLayout, firstEndingAfter } from '../layout/flame-layout.ts';

/** The visible part of a graph: `x0` to `x1` in weights over `width` pixels. `top` pixels above are scrolled away. */
export type FlameView = {
  readonly x0: number;
  readonly x1: number;
  readonly top: number;
  /** Device pixels. */
  readonly width: number;
  readonly height: number;
  /** Height of a row in device pixels, its gap included. */
  readonly rowHeight: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  /** Whether the roots are at the bottom. */
  readonly upward: boolean;
};

/** The colours of boxes. `paint` is an index into `palette` for each node. */
type FlamePaint = {
  readonly paint: Uint8Array;
  /**
   * 256 colours as little-endian RGBA. The upper half is the lower half dimmed, for boxes that do not match a search.
   */
  readonly palette: Uint32Array;
  readonly ground: number;
  /** The number of matches before each box, with one more entry than boxes. Null without a search. */
  readonly matchesBefore: Uint32Array | null;
};

/** Returns the rows that are at least partly visible, from `first` up to but not including `last`. */
export function visibleRows(layout: FlameLayout, view: FlameView): { first: number; last: number } {
  const first = Math.max(0, Math.floor(view.top / view.rowHeight));
  const last = Math.min(layout.rows, Math.ceil((view.top + view.height) / view.rowHeight));
  return { first, last };
}

/** Returns the first pixel line of a row from the top of the view. It may be negative. */
export function rowTop(row: number, view: FlameView): number {
  const down = Math.round(row * view.rowHeight - view.top);
  return view.upward ? view.height - down - Math.round(view.rowHeight) : down;
}

/** Fills `pixels` (width × height) with the visible boxes. */
export function rasterFlame(
  pixels: Uint32Array,
  layout: FlameLayout,
  paint: FlamePaint,
  view: FlameView,
): void {
  pixels.fill(paint.ground);
  const line = new Uint32Array(view.width);
  const { first, last } = visibleRows(layout, view);
  const gap = view.rowHeight >= 6 ? Math.max(1, Math.round(view.ratio)) : 0;
  for (let row = first; row < last; row++) {
    rasterRow(line, row, { layout, paint, view });
    const top = rowTop(row, view);
    const bottom = Math.min(view.height, top + Math.max(1, Math.round(view.rowHeight) - gap));
    for (let y = Math.max(0, top); y < bottom; y++) pixels.set(line, y * view.width);
  }
}

/** Fills `line` with the pixels of one row. */
function rasterRow(
  line: Uint32Array,
  row: number,
  { layout, paint, view }: { layout: FlameLayout; paint: FlamePaint; view: FlameView },
): void {
  line.fill(paint.ground);
  const scale = view.width / (view.x1 - view.x0);
  const end = layout.rowStart[row + 1] ?? 0;
  const gap = Math.max(1, Math.round(view.ratio));
  let box = firstEndingAfter(layout, row, view.x0);
  while (box < end) {
    const left = ((layout.x0[box] ?? 0) - view.x0) * scale;
    if (left >= view.width) return;
    const right = ((layout.x1[box] ?? 0) - view.x0) * scale;
    const from = Math.max(0, Math.floor(left));
    const to = Math.min(view.width, Math.floor(right));
    if (to - from >= 1) {
      const close = to - from > 3 * gap && right < view.width ? gap : 0;
      // A pixel keeps the colour of earlier boxes, or a match among them would disappear.
      const taken = line[from] !== paint.ground && !matches(paint, box, box + 1);
      line.fill(colourOf(layout, paint, box, box + 1), taken ? from + 1 : from, to - close);
      box++;
    } else {
      const next = skipThin(layout, box, end, view.x0 + (from + 1) / scale);
      if (line[from] === paint.ground || matches(paint, box, next)) {
        line[from] = colourOf(layout, paint, box, next);
      }
      box = next;
    }
  }
}

/** Returns the first box after `box` whose right edge reaches `x`. The search uses increasing steps. */
function skipThin(layout: FlameLayout, box: number, end: number, x: number): number {
  let low = box + 1;
  let step = 1;
  while (low + step < end && (layout.x1[low + step] ?? 0) < x) {
    low += step;
    step *= 2;
  }
  let high = Math.min(end, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((layout.x1[middle] ?? 0) < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the colour of the boxes `from` up to `to`, which share a pixel. A match among them is visible. */
function colourOf(layout: FlameLayout, paint: FlamePaint, from: number, to: number): number {
  const index = paint.paint[layout.node[from] ?? 0] ?? 0;
  const dimmed = paint.matchesBefore !== null && !matches(paint, from, to);
  return paint.palette[dimmed ? index | 128 : index] ?? 0;
}

/** Returns whether a search is active and one of these boxes matches. */
function matches({ matchesBefore }: FlamePaint, from: number, to: number): boolean {
  return matchesBefore !== null && (matchesBefore[to] ?? 0) > (matchesBefore[from] ?? 0);
}

/** The place of a label on a box, in device pixels. */
type BoxLabel = {
  readonly box: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
};

/** Returns the visible boxes that are at least `narrowest` device pixels wide. */
export function labelledBoxes(layout: FlameLayout, view: FlameView, narrowest: number): BoxLabel[] {
  const labels: BoxLabel[] = [];
  const scale = view.width / (view.x1 - view.x0);
  const { first, last } = visibleRows(layout, view);
  for (let row = first; row < last; row++) {
    const end = layout.rowStart[row + 1] ?? 0;
    const y = rowTop(row, view);
    let box = firstEndingAfter(layout, row, view.x0);
    while (box < end) {
      const left = ((layout.x0[box] ?? 0) - view.x0) * scale;
      if (left >= view.width) break;
      const right = ((layout.x1[box] ?? 0) - view.x0) * scale;
      const x = Math.max(0, left);
      const width = Math.min(view.width, right) - x;
      if (width >= narrowest) {
        labels.push({ box, x, y, width });
        box++;
      } else {
        box = skipThin(layout, box, end, view.x0 + (left + narrowest) / scale);
      }
    }
  }
  return labels;
}
