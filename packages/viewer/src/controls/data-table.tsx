// A table of any length: its heads sort it, only rows in view are rendered, and screen readers read it as a table.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import './data-table.css';
import { useSize } from './use-size.ts';

export type Column<Row> = {
  readonly id: string;
  readonly head: string;
  /** A tooltip of the head, for what the numbers mean. */
  readonly title?: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Returns the value to sort by. Without it the column is not sortable. */
  readonly sort?: (row: Row) => number | string;
  readonly numeric?: boolean;
  readonly width?: string;
};

type Props<Row> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  /** The id of the column that sorts the table at first, largest value first. Without it the given order is kept. */
  readonly sortedBy?: string;
  readonly chosen?: (row: Row) => boolean;
  /** Makes the first cell of a row a button. */
  readonly choose?: (row: Row) => void;
  readonly tall?: boolean;
};

const ROW_PX = 28;
/** Rows rendered above and below the visible ones. */
const SPARE_ROWS = 12;
/** The height in CSS pixels that is assumed until the table has its layout. */
const MIN_HEIGHT = 600;

export function DataTable<Row>(props: Props<Row>) {
  const { columns, label } = props;
  const sorting = useSignal<Order | null>(
    props.sortedBy === undefined ? null : { id: props.sortedBy, down: true },
  );
  const scrolled = useSignal(0);
  const box = useRef<HTMLElement>(null);
  const size = useSize(box);
  const order = sorting.value;
  const rows = useMemo(() => sortRows(props.rows, columns, order), [props.rows, columns, order]);
  const height = Math.max(MIN_HEIGHT, size.value.height);
  return (
    <section
      ref={box}
      class={props.tall ? 'table-box tall' : 'table-box'}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
      tabIndex={0}
      onScroll={(event) => {
        scrolled.value = event.currentTarget.scrollTop;
      }}
    >
      <table class="table" style={{ minWidth: minWidth(columns) }} aria-rowcount={rows.length + 1}>
        <caption class="visually-hidden">
          {label}, {rows.length} rows
        </caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.id} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <VisibleRows table={props} rows={rows} top={scrolled.value} height={height} />
      </table>
    </section>
  );
}

type Visible<Row> = {
  readonly table: Props<Row>;
  /** The sorted rows. */
  readonly rows: readonly Row[];
  /** The scroll position and the height of what is visible, in CSS pixels. */
  readonly top: number;
  readonly height: number;
};

function VisibleRows<Row>({ table, rows, top, height }: Visible<Row>) {
  const { columns } = table;
  const first = Math.max(0, Math.floor(top / ROW_PX) - SPARE_ROWS);
  const last = Math.min(rows.length, Math.ceil((top + height) / ROW_PX) + SPARE_ROWS);
  return (
    <tbody>
      {first > 0 && <Spacer rows={first} columns={columns.length} />}
      {rows.slice(first, last).map((row, index) => (
        <tr
          key={table.rowKey(row)}
          aria-rowindex={first + index + 2}
          class={table.chosen?.(row) ? 'chosen' : undefined}
        >
          {columns.map((column, place) => (
            <td key={column.id} class={column.numeric ? 'number' : undefined}>
              {place === 0 && table.choose !== undefined ? (
                <button type="button" class="row-button" onClick={() => table.choose?.(row)}>
                  {column.cell(row)}
                </button>
              ) : (
                column.cell(row)
              )}
            </td>
          ))}
        </tr>
      ))}
      {last < rows.length && <Spacer rows={rows.length - last} columns={columns.length} />}
    </tbody>
  );
}

function Spacer({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  return (
    <tr class="spacer">
      <td colSpan={columns} style={{ height: `${rows * ROW_PX}px` }} />
    </tr>
  );
}

type Order = { readonly id: string; readonly down: boolean };
type Sorting = { value: Order | null };

function Head<Row>({
  column,
  sorting,
}: {
  readonly column: Column<Row>;
  readonly sorting: Sorting;
}) {
  const active = sorting.value?.id === column.id ? sorting.value : null;
  const order = active === null ? undefined : active.down ? 'descending' : 'ascending';
  return (
    <th
      scope="col"
      class={column.numeric ? 'number' : undefined}
      style={column.width === undefined ? undefined : { width: column.width }}
      aria-sort={order}
    >
      {column.sort === undefined ? (
        <span title={column.title}>{column.head}</span>
      ) : (
        <button
          type="button"
          title={column.title}
          onClick={() => {
            sorting.value = {
              id: column.id,
              down: active === null ? column.numeric === true : !active.down,
            };
          }}
        >
          {column.head}
          <span aria-hidden="true">{active === null ? '' : active.down ? ' ↓' : ' ↑'}</span>
        </button>
      )}
    </th>
  );
}

/** The minimum width of a column without its own width. */
const COLUMN_WIDTH = '7rem';

function minWidth<Row>(columns: readonly Column<Row>[]): string {
  return `calc(${columns.map((column) => column.width ?? COLUMN_WIDTH).join(' + ')})`;
}

function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: Order | null,
): readonly Row[] {
  const by = columns.find((column) => column.id === order?.id)?.sort;
  if (by === undefined || order === null) return rows;
  const sign = order.down ? -1 : 1;
  const keyed = rows.map((row) => ({ row, key: by(row) }));
  keyed.sort((a, b) => sign * compare(a.key, b.key));
  return keyed.map(({ row }) => row);
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'string' || typeof b === 'string') return String(a).localeCompare(String(b));
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : -1) : 1;
  return a - b;
}
