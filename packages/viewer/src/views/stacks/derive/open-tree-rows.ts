// The call tree as rows: the roots, and the children of each open row. Pure. It does not recurse, because trees can
// be very deep.
import { type Children, FRAME_CATEGORIES } from '@svc/trace';
import type { ShownTree } from './select-tree.ts';

/** `leftOut` is the number of lightest children of open rows that are not listed. */
export type TreeRows = { readonly rows: readonly TreeRow[]; readonly leftOut: number };

export type TreeRow = {
  /** The names from the root. It stays the same while a trace grows. */
  readonly key: string;
  /** The key of the parent row; empty for a root. */
  readonly parent: string;
  /** 1 for a root. */
  readonly level: number;
  /** Position among its siblings, from 1. */
  readonly place: number;
  readonly siblings: number;
  readonly open: boolean;
  readonly name: string;
  readonly category: string;
  readonly self: number;
  readonly total: number;
  readonly share: number;
  readonly children: number;
};

/** The maximum number of listed children of a row. Lighter ones are counted. */
export const MOST_CHILDREN = 500;

/** Separates the names in a key. No name contains this character. */
const BELOW = '\u0000';

type Placed = { readonly row: TreeRow; readonly node: number };

export function openTreeRows(
  shown: ShownTree,
  links: Children,
  open: ReadonlySet<string>,
): TreeRows {
  const rows: TreeRow[] = [];
  let leftOut = 0;
  const pending: Placed[] = [];
  const put = (node: number, parent: TreeRow | null): void => {
    const found = childRows(shown, links, { node, parent, open });
    leftOut += Math.max(0, found.length - MOST_CHILDREN);
    pending.push(...found.slice(0, MOST_CHILDREN).reverse());
  };
  put(-1, null);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    rows.push(next.row);
    if (next.row.open) put(next.node, next.row);
  }
  return { rows, leftOut };
}

type Below = {
  readonly node: number;
  readonly parent: TreeRow | null;
  readonly open: ReadonlySet<string>;
};

function childRows(
  { tree, totals, scale, total }: ShownTree,
  { first, children }: Children,
  { node, parent, open }: Below,
): Placed[] {
  const weightOf = (child: number): number => totals[child] ?? 0;
  const childrenIn = (of: number): number[] =>
    Array.from(children.subarray(first[of + 1] ?? 0, first[of + 2] ?? 0)).filter(
      (child) => weightOf(child) !== 0,
    );
  const found = childrenIn(node).sort((a, b) => weightOf(b) - weightOf(a));
  return found.map((child, index) => {
    const frame = tree.nodeFrames[child] ?? 0;
    const text = tree.frames.text(frame);
    const key = parent === null ? text : `${parent.key}${BELOW}${text}`;
    const below = childrenIn(child).length;
    const row = {
      key,
      parent: parent?.key ?? '',
      level: (parent?.level ?? 0) + 1,
      place: index + 1,
      siblings: found.length,
      open: below > 0 && open.has(key),
      name: tree.frames.name(frame),
      category: FRAME_CATEGORIES[tree.frames.categoryCode(frame)] ?? '',
      self: (tree.self.values[child] ?? 0) / scale,
      total: weightOf(child) / scale,
      share: total === 0 ? 0 : weightOf(child) / scale / total,
      children: below,
    };
    return { row, node: child };
  });
}
