// What each load leaves: the spans and marks that occur several times, with the memory after each occurrence.

import { numberColumn } from '../../controls/columns.tsx';
import { type Column, DataTable } from '../../controls/data-table.tsx';
import { formatBytes, formatClock, formatCount } from '../../format/numbers.ts';
import { view } from '../../state/address.ts';
import { lookAt } from '../timeline/timeline-state.ts';
import type { RepeatView } from './derive-memory.ts';

type Props = { readonly repeats: readonly RepeatView[]; readonly count: number };

export function Repeats({ repeats, count }: Props) {
  if (repeats.length === 0) return null;
  return (
    <section class="memory-section" aria-label="By load">
      <h3>By load</h3>
      {repeats.map((repeat) => (
        <Repeat key={`${repeat.name} ${repeat.text}`} repeat={repeat} />
      ))}
      {count > repeats.length && (
        <p class="hint">{formatCount(count - repeats.length)} more are not listed.</p>
      )}
    </section>
  );
}

type Load = RepeatView['loads'][number];

const COLUMNS: readonly Column<Load>[] = [
  {
    id: 'from',
    head: 'At',
    cell: (row) => formatClock(row.from_ms),
    sort: (row) => row.from_ms,
    width: '7rem',
  },
  numberColumn('gpu', 'GPU memory after it', (row) => row.gpu_bytes, { format: formatBytes }),
  numberColumn('new', 'New assets', (row) => row.new_assets, { format: formatCount }),
  numberColumn('kept', 'Outlived the next', (row) => row.kept_assets, {
    format: formatCount,
    title: 'New assets that were still alive after the next occurrence',
  }),
  numberColumn('bytes', 'Their memory', (row) => row.kept_bytes, { format: formatBytes }),
];

function Repeat({ repeat }: { readonly repeat: RepeatView }) {
  const { name, text, leaks, assets, series, loads, count } = repeat;
  return (
    <article class={leaks ? 'memory-repeat leaks' : 'memory-repeat'}>
      <h4 class="wrap-anywhere">{text}</h4>
      <ul class="plain">
        {[...assets, ...series].map((line) => (
          <li key={line} class="wrap-anywhere">
            {line}
          </li>
        ))}
      </ul>
      <DataTable
        label={`Occurrences of ${name}`}
        columns={COLUMNS}
        rows={loads}
        rowKey={(row) => row.from_ms}
        choose={(row) => {
          lookAt({ from: row.from_ms, to: Math.max(row.to_ms, row.from_ms + 1) });
          view.value = 'timeline';
        }}
      />
      {count > loads.length && (
        <p class="hint">
          The latest {formatCount(loads.length)} of {formatCount(count)}.
        </p>
      )}
    </article>
  );
}
