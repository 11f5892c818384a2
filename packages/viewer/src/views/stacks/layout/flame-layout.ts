// The layout of a flame graph: typed arrays in the order of rows, so that drawing and hit tests touch only visible
// boxes. x is in the tree's own weights, and a row is a depth. Nothing here recurses, because a stack may be 100,000
// deep.
import { type Children, depthsOf, Int32List } from '@svc/trace';

/**
 * The boxes of all rows. Within a row they are sorted from left to right and do not overlap. Row `r` holds the boxes
 * from `rowStart[r]` up to `rowStart[r + 1]`. `span` is the total width.
 */
export type FlameLayout = {
  readonly rows: number;
  readonly span: number;
  readonly rowStart: Uint32Array;
  readonly x0: Float64Array;
  readonly x1: Float64Array;
  readonly node: Int32Array;
};

/**
 * Lays out a merged tree. The children of a node are side by side in the given order, and its self weight is the free
 * space at their right. `width` holds the width of each node, including its children. The order is depth first, as
 * stacks were read, for locality of memory; each row fills from left to right.
 */
export function layOutTree(
  parents: Int32Array,
  width: Float64Array,
  { first, children }: Children,
): FlameLayout {
  const rowStart = rowStarts(parents, width);
  const rows = rowStart.length - 1;
  const boxes = rowStart[rows] ?? 0;
  const x0 = new Float64Array(boxes);
  const x1 = new Float64Array(boxes);
  const node = new Int32Array(boxes);
  const nextBox = rowStart.slice();
  /** For each row, while its siblings are placed: the next sibling, their end, and the next x. */
  const cursor = new Int32Array(rows + 1);
  const end = new Int32Array(rows + 1);
  const x = new Float64Array(rows + 1);
  end[0] = first[1] ?? 0;
  for (let row = 0; row >= 0; ) {
    const index = cursor[row] ?? 0;
    if (index === end[row]) {
      row--;
      continue;
    }
    cursor[row] = index + 1;
    const child = children[index] ?? 0;
    const wide = width[child] ?? 0;
    if (wide <= 0) continue;
    const left = x[row] ?? 0;
    const box = nextBox[row] ?? 0;
    nextBox[row] = box + 1;
    node[box] = child;
    x0[box] = left;
    x1[box] = left + wide;
    x[row] = left + wide;
    row++;
    cursor[row] = first[child + 1] ?? 0;
    end[row] = first[child + 2] ?? 0;
    x[row] = left;
  }
  return { rows, span: x[0] ?? 0, rowStart, x0, x1, node };
}

/** Returns the first box of each row, and the end of the last row. Nodes without weight have no box. */
function rowStarts(parents: Int32Array, width: Float64Array): Uint32Array {
  const depths = depthsOf(parents);
  const counts = new Int32List();
  for (let node = 0; node < depths.length; node++) {
    if ((width[node] ?? 0) <= 0) continue;
    const depth = depths[node] ?? 0;
    while (counts.length <= depth) counts.push(0);
    counts.values[depth] = (counts.values[depth] ?? 0) + 1;
  }
  const starts = new Uint32Array(counts.length + 1);
  for (let row = 0; row < counts.length; row++) {
    starts[row + 1] = (starts[row] ?? 0) + (counts.values[row] ?? 0);
  }
  return starts;
}

/** Samples in the order of recording: the innermost node of each, and its weight. */
export type Samples = { readonly node: Int32Array; readonly weight: Float64Array };

/** The maximum number of boxes in the order of recording. A merged tree has far fewer. */
export const ORDERED_BOXES = 8_000_000;

/**
 * Lays out samples side by side in the order of recording. Neighbours with the same callers share a box. Returns null
 * if that needs more than `limit` boxes.
 */
export function layOutInOrder(
  parents: Int32Array,
  samples: Samples,
  limit: number = ORDERED_BOXES,
): FlameLayout | null {
  const boxes = new OpenBoxes(limit);
  const path: number[] = [];
  let x = 0;
  for (let index = 0; index < samples.node.length; index++) {
    const weight = samples.weight[index] ?? 0;
    if (weight <= 0) continue;
    path.length = 0;
    for (let node = samples.node[index] ?? -1; node >= 0; node = parents[node] ?? -1)
      path.push(node);
    if (!boxes.add(path, x, x + weight)) return null;
    x += weight;
  }
  return boxes.finish(x);
}

/** The boxes that end at the current sample, one for each row, and all earlier boxes. */
class OpenBoxes {
  #row = new Int32Array(1024);
  #node = new Int32Array(1024);
  #x0 = new Float64Array(1024);
  #x1 = new Float64Array(1024);
  #count = 0;
  #open: number[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a sample; `path` is innermost first. Returns false if the limit is reached. */
  add(path: readonly number[], x0: number, x1: number): boolean {
    const depth = path.length;
    let same = 0;
    while (same < depth && same < this.#open.length) {
      if (this.#node[this.#open[same] ?? 0] !== path[depth - 1 - same]) break;
      same++;
    }
    for (let row = 0; row < same; row++) this.#x1[this.#open[row] ?? 0] = x1;
    this.#open.length = same;
    if (this.#count + depth - same > this.#limit) return false;
    for (let row = same; row < depth; row++) this.#push(row, path[depth - 1 - row] ?? 0, x0, x1);
    return true;
  }

  #push(row: number, node: number, x0: number, x1: number): void {
    if (this.#count === this.#row.length) this.#grow();
    const box = this.#count++;
    this.#row[box] = row;
    this.#node[box] = node;
    this.#x0[box] = x0;
    this.#x1[box] = x1;
    this.#open.push(box);
  }

  #grow(): void {
    const size = this.#row.length * 2;
    this.#row = enlarge(this.#row, new Int32Array(size));
    this.#node = enlarge(this.#node, new Int32Array(size));
    this.#x0 = enlarge(this.#x0, new Float64Array(size));
    this.#x1 = enlarge(this.#x1, new Float64Array(size));
  }

  finish(span: number): FlameLayout {
    const count = this.#count;
    let rows = 0;
    for (let box = 0; box < count; box++) rows = Math.max(rows, (this.#row[box] ?? 0) + 1);
    const rowStart = new Uint32Array(rows + 1);
    for (let box = 0; box < count; box++) {
      const slot = (this.#row[box] ?? 0) + 1;
      rowStart[slot] = (rowStart[slot] ?? 0) + 1;
    }
    for (let row = 0; row < rows; row++)
      rowStart[row + 1] = (rowStart[row + 1] ?? 0) + (rowStart[row] ?? 0);
    const next = rowStart.slice();
    const layout = {
      node: new Int32Array(count),
      x0: new Float64Array(count),
      x1: new Float64Array(count),
    };
    for (let box = 0; box < count; box++) {
      const row = this.#row[box] ?? 0;
      const at = next[row] ?? 0;
      next[row] = at + 1;
      layout.node[at] = this.#node[box] ?? 0;
      layout.x0[at] = this.#x0[box] ?? 0;
      layout.x1[at] = this.#x1[box] ?? 0;
    }
    return { rows, span, rowStart, ...layout };
  }
}

function enlarge<T extends Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** Returns the box of a row at `x`, or −1 if there is none. */
export function boxAt(layout: FlameLayout, row: number, x: number): number {
  if (row < 0 || row >= layout.rows) return -1;
  const box = firstEndingAfter(layout, row, x);
  return box < (layout.rowStart[row + 1] ?? 0) && (layout.x0[box] ?? 0) <= x ? box : -1;
}

/** Returns the first box of a row whose right edge is greater than `x`, or the row's end if there is none. */
export function firstEndingAfter(layout: FlameLayout, row: number, x: number): number {
  let low = layout.rowStart[row] ?? 0;
  let high = layout.rowStart[row + 1] ?? 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((layout.x1[middle] ?? 0) > x) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the first box with this path from the root, one name for each row, or −1 if there is none. */
export function boxOfPath(
  layout: FlameLayout,
  nameOf: (box: number) => string,
  path: readonly string[],
): number {
  let found = -1;
  let [left, right] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const [row, name] of path.entries()) {
    if (row >= layout.rows) return -1;
    const end = layout.rowStart[row + 1] ?? 0;
    found = firstEndingAfter(layout, row, left);
    while (found < end && (layout.x0[found] ?? 0) < right && nameOf(found) !== name) found++;
    if (found >= end || (layout.x0[found] ?? 0) >= right) return -1;
    left = layout.x0[found] ?? 0;
    right = layout.x1[found] ?? 0;
  }
  return found;
}

/** Returns the row of a box. */
export function rowOf(layout: FlameLayout, box: number): number {
  let low = 0;
  let high = layout.rows - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((layout.rowStart[middle] ?? 0) <= box) low = middle;
    else high = middle - 1;
  }
  return low;
}
