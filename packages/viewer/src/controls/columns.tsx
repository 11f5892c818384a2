// Columns of tables: a name, a text, a number, a time.
import { formatClock } from '../format/numbers.ts';
import type { Column } from './data-table.tsx';
import { FitName } from './fit-name.tsx';

type Look = { readonly title?: string; readonly width?: string };

type Name<Row> = Look & {
  readonly mono?: boolean;
  /** A text beside the name, for rows with equal names. */
  readonly beside?: (row: Row) => string;
};

/** A name that is shortened to the width of the column. Its title holds the full name. */
export function nameColumn<Row extends { readonly name: string }>(
  head: string,
  { mono = false, beside, ...look }: Name<Row> = {},
): Column<Row> {
  return {
    id: 'name',
    head,
    cell: (row) => <FitName text={row.name} mono={mono} beside={beside?.(row) ?? ''} />,
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

type NumberLook = Look & { readonly format: (value: number) => string };

/** A number, or a dash if it is unknown. Unknown numbers sort below all others. */
export function numberColumn<Row>(
  id: string,
  head: string,
  of: (row: Row) => number | null,
  { format, ...look }: NumberLook,
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

/** A time of the trace. */
export function timeColumn<Row extends { readonly t: number }>(): Column<Row> {
  return numberColumn('t', 'Time', ({ t }) => t, { format: formatClock, width: '7rem' });
}
