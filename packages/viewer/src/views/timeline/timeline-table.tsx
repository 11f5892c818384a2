// The timeline as a table of everything in the selected or visible range.
import { useMemo } from 'preact/hooks';
import { textColumn, timeColumn } from '../../controls/columns.tsx';
import { type Column, DataTable } from '../../controls/data-table.tsx';
import { FitName } from '../../controls/fit-name.tsx';
import { formatCount } from '../../format/numbers.ts';
import { selection } from '../../state/address.ts';
import { TABLE_ROWS, type TimelineRow, timelineRows } from './layout/timeline-rows.ts';
import { timeline, visibleRange } from './timeline-state.ts';

const COLUMNS: readonly Column<TimelineRow>[] = [
  timeColumn(),
  textColumn('track', 'Track', (row) => row.track, '9rem'),
  textColumn('source', 'Source', (row) => row.source, '6rem'),
  {
    id: 'what',
    head: 'What',
    cell: (row) => <FitName text={row.what} />,
    sort: (row) => row.what,
  },
  { id: 'value', head: 'Value', cell: (row) => row.value, numeric: true, width: '11rem' },
];

export function TimelineTable() {
  const data = timeline.value;
  const range = selection.value ?? visibleRange.value;
  const rows = useMemo(() => (data === null ? [] : timelineRows(data, range)), [data, range]);
  return (
    <>
      {rows.length === TABLE_ROWS && (
        <p class="hint">
          Only the first {formatCount(TABLE_ROWS)} rows are shown. Select a shorter time range to
          see the rest.
        </p>
      )}
      <DataTable
        label="Everything on the timeline"
        columns={COLUMNS}
        rows={rows}
        rowKey={(row) => row.id}
        tall
      />
    </>
  );
}
