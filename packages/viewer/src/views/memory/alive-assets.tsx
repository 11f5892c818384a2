// The assets that have GPU memory at the end of the trace.
import type { AliveAsset } from '@svc/trace';
import { nameColumn, numberColumn, textColumn } from '../../controls/columns.tsx';
import { type Column, DataTable } from '../../controls/data-table.tsx';
import {
  formatBytes,
  formatClock,
  formatCount,
  formatMs,
  formatPlural,
} from '../../format/numbers.ts';
import type { MemoryView } from './derive-memory.ts';

const COLUMNS: readonly Column<AliveAsset>[] = [
  nameColumn('Name', { width: '18rem' }),
  textColumn('kind', 'Kind', (row) => row.kind, '6rem'),
  numberColumn('gpu', 'GPU memory', (row) => row.gpu_bytes, { format: formatBytes }),
  numberColumn('since', 'Since', (row) => row.first_ms, { format: formatClock }),
  numberColumn('age', 'Age', (row) => row.age_ms, { format: formatMs }),
  numberColumn('released', 'Released before', (row) => row.releases, {
    format: formatCount,
    title: 'Objects of this asset that the game released',
  }),
];

export function AliveAssets({ alive }: Pick<MemoryView, 'alive'>) {
  if (alive === null || alive.count === 0) return null;
  const { assets, count, gpu_bytes } = alive;
  return (
    <section class="memory-section" aria-label="Alive at the end">
      <div class="subbar">
        <h3>Alive at the end</h3>
        <p class="hint">
          {formatBytes(gpu_bytes)} of GPU memory in {formatPlural(count, 'asset')}
          {count > assets.length && `, the largest ${formatCount(assets.length)} listed`}
        </p>
      </div>
      <DataTable
        label="Assets alive at the end"
        columns={COLUMNS}
        rows={assets}
        rowKey={(row) => `${row.source}/${typeof row.id}/${row.id}`}
        sortedBy="gpu"
      />
    </section>
  );
}
