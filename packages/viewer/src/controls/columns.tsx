// The columns that tables are made of: a name, a word, a moment, a number.
import { formatClock } from '../format/numbers.ts';
import type { Column } from './data-table.tsx';

type Look = { readonly title?: string; readonly width?: string };

type Name<Row> = Look & {
  readonly mono?: boolean;
  /** A word that tells rows of the same name apart. */
  readonly beside?: (row: Row) => string;
};

/** What a row is called: cut off, with the whole of it in a title. */
export function nameColumn<Row extends { readonly name: string }>(
  head: string,
  { mono = false, beside, ...look }: Name<Row> = {},
): Column<Row> {
  return {
    id: 'name',
    head,
    cell: (row) => (
      <span class={mono ? 'mono ellipsis' : 'ellipsis'} title={row.name}>
        {row.name}
        {beside !== undefined && beside(row) !== '' && <small> {beside(row)}</small>}
      </span>
    ),
    sort: ({ name }) => name,
    ...look,
  };
}

export function textColumn<Row>(
  id: string,
  head: string,
  of: (row: Row) => string,
  width?: string,
): Column<Row> {
  return { id, head, cell: of, sort: of, ...(width !== undefined && { width }) };
}

/** A number that may be unknown, which is a dash and sorts below all that is known. */
export function numberColumn<Row>(
  id: string,
  head: string,
  of: (row: Row) => number | null,
  format: (value: number) => string,
  look: Look = {},
): Column<Row> {
  return {
    id,
    head,
    cell: (row) => {
      const value = of(row);
      return value === null ? '–' : format(value);
    },
    sort: (row) => of(row) ?? Number.NaN,
    numeric: true,
    ...look,
  };
}

/** A moment of the trace. */
export function timeColumn<Row extends { readonly t: number }>(): Column<Row> {
  return numberColumn('t', 'Time', ({ t }) => t, formatClock, { width: '7rem' });
}
