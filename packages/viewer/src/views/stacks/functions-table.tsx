// The table of functions with their self and total weights.
import { useMemo } from 'preact/hooks';
import { engineFor } from '../../client/engine-client.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { nameColumn, numberColumn, textColumn } from '../../controls/columns.tsx';
import { type Column, DataTable } from '../../controls/data-table.tsx';
import { Pending } from '../../controls/pending.tsx';
import { Share } from '../../controls/share.tsx';
import { formatCount, formatPlural, formatShare, formatValue } from '../../format/numbers.ts';
import { focusName, search } from '../../state/address.ts';
import type { FunctionTable } from './derive/function-table.ts';
import { patternOf, type StackQuery } from './derive/query.ts';
import type { StackCalls } from './stack-calls.ts';
import { frameText, showSandwich, stackQuery, stackRevision } from './stack-state.ts';

const engine = engineFor<StackCalls>();

type Row = {
  readonly index: number;
  readonly name: string;
  readonly category: string;
  readonly self: number;
  readonly total: number;
};

type Props = {
  readonly query?: StackQuery;
  /** Shows only the shares, for narrow places. */
  readonly compact?: boolean;
  readonly choose?: (name: string, category: string) => void;
};

export function FunctionsTable({
  query = stackQuery.value,
  compact = false,
  choose = showSandwich,
}: Props) {
  const { answer: data, fault } = useAnswer(
    () => engine.call('functions', { slot: 'main', query }),
    [JSON.stringify(query), stackRevision.value],
  );
  const rows = useMemo(
    () => (data === null ? [] : rowsOf(data, search.value)),
    [data, search.value],
  );
  const columns = useMemo(() => (data === null ? [] : columnsOf(data, compact)), [data, compact]);
  if (data === null) return <Pending fault={fault}>Adding up…</Pending>;
  return (
    <>
      <p class="hint">
        {formatPlural(rows.length, 'function')}; percent of {formatValue(data.sum, data.unit)} shown
        {data.sum === data.whole ? '' : `, which is ${formatShare(data.sum / data.whole)} of all`}.
        Click a function to see its callers and callees.
        {data.leftOut > 0 &&
          ` ${formatCount(data.leftOut)} more functions with the least self weight are left out.`}
      </p>
      <DataTable
        label="Functions"
        columns={columns}
        rows={rows}
        rowKey={(row) => row.index}
        sortedBy="self"
        chosen={(row) => compact && frameText(row.name, row.category) === focusName.value}
        choose={(row) => choose(row.name, row.category)}
        tall
      />
    </>
  );
}

function rowsOf(data: FunctionTable, text: string): Row[] {
  const pattern = patternOf(text);
  return data.names.flatMap((name, index) =>
    pattern === null || pattern.test(name)
      ? [
          {
            index,
            name,
            category: data.categories[index] ?? '',
            self: data.self[index] ?? 0,
            total: data.total[index] ?? 0,
          },
        ]
      : [],
  );
}

function columnsOf(data: FunctionTable, compact: boolean): Column<Row>[] {
  const share = (value: number): number => (data.sum === 0 ? 0 : value / data.sum);
  const value = (weight: number): string => formatValue(weight, data.unit);
  const weights = (id: string, head: string, of: (row: Row) => number): Column<Row>[] => [
    numberColumn(id, head, of, { format: value, width: '8rem' }),
    {
      id: `${id}-share`,
      head: `${head} %`,
      cell: (row) => <Share value={share(of(row))} />,
      sort: of,
      numeric: true,
      width: '8rem',
    },
  ];
  const columns: Column<Row>[] = [
    nameColumn('Function', { mono: true, ...(compact && { beside: (row) => row.category }) }),
    textColumn('category', 'Kind', (row) => row.category, '6rem'),
    ...weights('self', 'Self', (row) => row.self),
    ...weights('total', 'Total', (row) => row.total),
  ];
  const shown = ['name', 'self-share', 'total-share'];
  return compact ? columns.filter((column) => shown.includes(column.id)) : columns;
}
