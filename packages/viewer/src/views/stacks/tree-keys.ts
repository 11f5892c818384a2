// The keys of a tree grid, as in the ARIA treegrid pattern.
import type { TreeRow } from './derive/open-tree-rows.ts';

type Grid = {
  readonly rows: readonly TreeRow[];
  /** The row that has the focus. */
  readonly index: number;
  readonly focusRow: (index: number) => void;
  readonly toggle: (row: TreeRow, opens: boolean) => void;
};

/** Moves the focus, or opens or closes the row. Other keys are left to the browser. */
export function stepInTree(event: KeyboardEvent, grid: Grid): void {
  const { rows, index, focusRow, toggle } = grid;
  const row = rows[index];
  if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const steps: Readonly<Record<string, () => void>> = {
    ArrowDown: () => focusRow(index + 1),
    ArrowUp: () => focusRow(index - 1),
    Home: () => focusRow(0),
    End: () => focusRow(rows.length - 1),
    ArrowRight: () => (row.open ? focusRow(index + 1) : toggle(row, true)),
    ArrowLeft: () =>
      row.open ? toggle(row, false) : focusRow(rows.findIndex(({ key }) => key === row.parent)),
    Enter: () => toggle(row, !row.open),
    ' ': () => toggle(row, !row.open),
  };
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  step();
}
