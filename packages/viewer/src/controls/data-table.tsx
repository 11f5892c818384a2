// A table of any length: sortable by its heads, rows drawn only where they are seen, reachable and read out as a table.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import './data-table.css';
import { useSize } from './use-size.ts';

export type Column<Row> = {
  readonly id: string;
  readonly head: string;
  /** Beside the head, for what the numbers mean. */
  readonly title?: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** What the column is sorted by; without it it is not sortable. */
  readonly sort?: (row: Row) => number | string;
  readonly numeric?: boolean;
  readonly width?: string;
};

type Props<Row> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  /** The column it is sorted by first, largest first; the given order where absent. */
  readonly sortedBy?: string;
  readonly chosen?: (row: Row) => boolean;
  /** Makes the first cell of a row a button. */
  readonly choose?: (row: Row) => void;
  readonly tall?: boolean;
};

const ROW_PX = 28;
const SPARE_ROWS = 12;
/** What is drawn before the table was laid out. */
const LEAST_HEIGHT = 600;

export function DataTable<Row>(props: Props<Row>) {
  const sorting = useSignal<{ id: string; down: boolean } | null>(
    props.sortedBy === undefined ? null : { id: props.sortedBy, down: true },
  );
  const scrolled = useSignal(0);
  const box = useRef<HTMLElement>(null);
  const size = useSize(box);
  const order = sorting.value;
  const rows = useMemo(
    () => sortRows(props.rows, props.columns, order),
    [props.rows, props.columns, order],
  );
  const first = Math.max(0, Math.floor(scrolled.value / ROW_PX) - SPARE_ROWS);
  const last = Math.min(
    rows.length,
    Math.ceil((scrolled.value + Math.max(LEAST_HEIGHT, size.value.height)) / ROW_PX) + SPARE_ROWS,
  );
  return (
    <section
      ref={box}
      class={props.tall ? 'table-box tall' : 'table-box'}
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys
      tabIndex={0}
      onScroll={(event) => {
        scrolled.value = event.currentTarget.scrollTop;
      }}
    >
      <table
        class="table"
        style={{ minWidth: leastWidth(props.columns) }}
        aria-rowcount={rows.length + 1}
      >
        <caption class="visually-hidden">
          {props.label}, {rows.length} rows
        </caption>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <Head key={column.id} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Spacer rows={first} columns={props.columns.length} />}
          {rows.slice(first, last).map((row, index) => (
            <tr
              key={props.rowKey(row)}
              aria-rowindex={first + index + 2}
              class={props.chosen?.(row) ? 'chosen' : undefined}
            >
              {props.columns.map((column, place) => (
                <td key={column.id} class={column.numeric ? 'number' : undefined}>
                  {place === 0 && props.choose !== undefined ? (
                    <button type="button" class="row-button" onClick={() => props.choose?.(row)}>
                      {column.cell(row)}
                    </button>
                  ) : (
                    column.cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
          {last < rows.length && (
            <Spacer rows={rows.length - last} columns={props.columns.length} />
          )}
        </tbody>
      </table>
    </section>
  );
}

function Spacer({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  return (
    <tr class="spacer">
      <td colSpan={columns} style={{ height: `${rows * ROW_PX}px` }} />
    </tr>
  );
}

type Sorting = { value: { id: string; down: boolean } | null };

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

/** Columns without a width of their own never get narrower than this. */
const COLUMN_WIDTH = '7rem';

function leastWidth<Row>(columns: readonly Column<Row>[]): string {
  return `calc(${columns.map((column) => column.width ?? COLUMN_WIDTH).join(' + ')})`;
}

function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: { id: string; down: boolean } | null,
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
