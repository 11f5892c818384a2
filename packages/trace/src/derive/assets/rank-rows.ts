// The first rows of an order, without sorting all of them.

/** The first `most` of the rows 0 … `length` − 1 in the order of the comparator `before`. */
export function firstRows(
  length: number,
  most: number,
  before: (a: number, b: number) => number,
): Uint32Array {
  if (length <= most) return Uint32Array.from({ length }, (_, row) => row).sort(before);
  const heap = new Uint32Array(most);
  for (let row = 0; row < most; row++) {
    heap[row] = row;
    raise(heap, row, before);
  }
  for (let row = most; row < length && most > 0; row++) {
    if (before(row, heap[0] ?? 0) >= 0) continue;
    heap[0] = row;
    sink(heap, before);
  }
  return heap.sort(before);
}

/** Moves the row at `at` up to its place in the heap. The last row of the order is at the top. */
function raise(heap: Uint32Array, at: number, before: (a: number, b: number) => number): void {
  for (let child = at; child > 0; ) {
    const parent = (child - 1) >> 1;
    if (before(heap[parent] ?? 0, heap[child] ?? 0) >= 0) return;
    swap(heap, parent, child);
    child = parent;
  }
}

function sink(heap: Uint32Array, before: (a: number, b: number) => number): void {
  for (let parent = 0; ; ) {
    let child = 2 * parent + 1;
    if (child >= heap.length) return;
    if (child + 1 < heap.length && before(heap[child] ?? 0, heap[child + 1] ?? 0) < 0) child++;
    if (before(heap[parent] ?? 0, heap[child] ?? 0) >= 0) return;
    swap(heap, parent, child);
    parent = child;
  }
}

function swap(heap: Uint32Array, a: number, b: number): void {
  const first = heap[a] ?? 0;
  heap[a] = heap[b] ?? 0;
  heap[b] = first;
}
