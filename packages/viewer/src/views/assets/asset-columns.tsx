// The columns of the asset cost report.
import type { AssetReportEntry } from '@svc/trace';
import { nameColumn, numberColumn, textColumn } from '../../controls/columns.tsx';
import type { Column } from '../../controls/data-table.tsx';
import { Share } from '../../controls/share.tsx';
import { formatBytes, formatCount, formatMs } from '../../format/numbers.ts';

type Numbers = 'main_thread_ms' | 'load_ms' | 'decode_ms' | 'upload_ms' | 'bytes' | 'gpu_bytes';

const known = (
  id: Numbers,
  head: string,
  format: (value: number) => string,
  width: string,
): Column<AssetReportEntry> => numberColumn(id, head, (row) => row[id], { format, width });

const ALWAYS: readonly Column<AssetReportEntry>[] = [
  nameColumn('Asset', { width: '12rem' }),
  numberColumn('cost', 'Cost', (row) => row.cost, {
    format: (cost) => cost.toFixed(2),
    title: 'In frame budgets. Choose an asset to see how it is computed',
    width: '5rem',
  }),
  {
    id: 'share',
    head: 'Share',
    cell: (row) => <Share value={row.share} />,
    sort: (row) => row.share,
    numeric: true,
    width: '8rem',
  },
  {
    id: 'hitch',
    head: 'Hitches',
    title: 'Its share of the time over budget in the frames that overlap its work',
    cell: (row) =>
      row.hitches === 0 ? '–' : `${formatMs(row.hitch_ms)} in ${formatCount(row.hitches)}`,
    sort: (row) => row.hitch_ms,
    numeric: true,
    width: '8rem',
  },
  textColumn('kind', 'Kind', (row) => row.kind, '5rem'),
  textColumn('source', 'Source', (row) => row.source, '5rem'),
  known('main_thread_ms', 'Main thread', formatMs, '7rem'),
  known('load_ms', 'Load', formatMs, '6rem'),
  known('decode_ms', 'Decode', formatMs, '6rem'),
  known('upload_ms', 'Upload', formatMs, '6rem'),
  known('bytes', 'Memory', formatBytes, '6.5rem'),
  known('gpu_bytes', 'GPU', formatBytes, '6.5rem'),
];

/** Only for traces of the files probe. */
const READ: Column<AssetReportEntry> = numberColumn(
  'read',
  'Read',
  (row) => row.read_bytes ?? null,
  {
    format: formatBytes,
    title: 'All bytes read or mapped. Repeated reads count each time',
    width: '6.5rem',
  },
);

const WITH_READ = [...ALWAYS, READ];

/** Returns the columns for these entries. */
export function assetColumns(
  entries: readonly AssetReportEntry[],
): readonly Column<AssetReportEntry>[] {
  return entries.some((one) => one.read_bytes !== undefined) ? WITH_READ : ALWAYS;
}
