// What the worker reports about a flame graph and its boxes.

export type FlameInfo = {
  readonly rows: number;
  readonly boxes: number;
  /** The width of the whole graph, in the tree's own weights. */
  readonly span: number;
  readonly total: number;
  /** The weight of the whole group, without time range and patterns. The text is exact. */
  readonly whole: number;
  readonly wholeText: string;
  readonly unit: string;
  /** The categories that occur: indices of FRAME_CATEGORIES. */
  readonly categories: readonly number[];
  /** Why another graph than the requested one is shown; null if the requested one is. */
  readonly instead: string | null;
};

/** A box of a flame graph, for display. */
export type BoxInfo = {
  readonly box: number;
  readonly row: number;
  readonly x0: number;
  readonly x1: number;
  readonly name: string;
  readonly category: string;
  readonly self: number;
  readonly total: number;
  /** Its part of the total that is shown, 0 to 1. */
  readonly share: number;
  /** From the root to the box, as in a folded file: names with the suffix of their category. */
  readonly path: readonly string[];
  /** Both totals in a differential graph, else null. */
  readonly before: number | null;
  readonly after: number | null;
  readonly beforeShare: number | null;
  readonly afterShare: number | null;
  /** Its palette index, as drawn without a search. */
  readonly paint: number;
};

/** Which box to go to from another one. */
export type Neighbour =
  | 'parent'
  | 'child'
  | 'next'
  | 'previous'
  | 'first'
  | 'next_match'
  | 'previous_match';

/** A box in a view, in CSS pixels of the view. */
export type VisibleBox = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly name: string;
  /** An index of the palette. */
  readonly paint: number;
};

/** The number of matching boxes, and the part of all weight that is in or below a match, 0 to 1. */
export type SearchInfo = { readonly boxes: number; readonly share: number };
