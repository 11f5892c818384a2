// The table of assets in two traces: new, gone, or with a changed cost. The largest rise of cost is first.
import { type AssetChange, compareAssets } from '@svc/trace';
import { engineFor } from '../../client/engine-client.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { nameColumn, numberColumn, textColumn } from '../../controls/columns.tsx';
import { type Column, DataTable } from '../../controls/data-table.tsx';
import { Pending } from '../../controls/pending.tsx';
import { formatBytes, formatDelta, formatMs } from '../../format/numbers.ts';
import { budgetMs } from '../../state/address.ts';
import { mainTrace, otherTrace } from '../../traces/open-traces.ts';
import type { AssetCalls } from '../assets/report-assets.ts';
import { memoryOf } from './compare-rows.ts';
import { type ComparedRanges, comparedRanges } from './compared-ranges.ts';

const engine = engineFor<AssetCalls>();

export function AssetsDiff() {
  const of = comparedRanges.value;
  const budget = budgetMs.value;
  const { answer: rows, fault } = useAnswer(
    () => load(budget, of),
    [mainTrace.value, otherTrace.value, budget, of],
  );
  if (rows === null) return <Pending fault={fault}>Adding up…</Pending>;
  if (rows.length === 0)
    return <p class="hint">Neither trace has assets in the compared time ranges.</p>;
  return (
    <DataTable
      label="Assets, before and after"
      columns={COLUMNS}
      rows={rows}
      rowKey={({ source, kind, name, state }) => `${source}/${kind}/${name}/${state}`}
      tall
    />
  );
}

async function load(budgetMs: number, { before, after }: ComparedRanges): Promise<AssetChange[]> {
  const [was, is] = await Promise.all([
    engine.call('assets', { slot: 'other', range: before, budgetMs }),
    engine.call('assets', { slot: 'main', range: after, budgetMs }),
  ]);
  return compareAssets(was.assets, is.assets);
}

const cost = (value: number): string => value.toFixed(2);

const STATES: Readonly<Record<AssetChange['state'], string>> = {
  new: 'new',
  gone: 'gone',
  changed: 'changed',
  same: 'same',
  kept: 'in both',
};

/** The change of a value that may be unknown on both sides. */
function changeOf(before: number | null, after: number | null): number | null {
  return before === null && after === null ? null : (after ?? 0) - (before ?? 0);
}

const deltaOf =
  (format: (value: number) => string) =>
  (change: number): string =>
    formatDelta(change, format);

const NARROW = '7.5rem';

const COLUMNS: readonly Column<AssetChange>[] = [
  nameColumn('Asset', {
    width: '14rem',
    beside: ({ old_name }) => (old_name === null ? '' : `was ${old_name}`),
  }),
  numberColumn('cost-change', 'Change of cost', (row) => row.cost_change, {
    format: deltaOf(cost),
    width: '8.5rem',
  }),
  numberColumn('cost-before', 'Before', (row) => row.before?.cost ?? null, {
    format: cost,
    width: NARROW,
  }),
  numberColumn('cost-after', 'After', (row) => row.after?.cost ?? null, {
    format: cost,
    width: NARROW,
  }),
  numberColumn(
    'hitches',
    'Hitches',
    ({ before, after }) => changeOf(before?.hitch_ms ?? null, after?.hitch_ms ?? null),
    { format: deltaOf(formatMs), width: NARROW, title: 'The change of the time over budget' },
  ),
  numberColumn(
    'memory',
    'Memory',
    ({ before, after }) => changeOf(memoryOf(before), memoryOf(after)),
    {
      format: deltaOf(formatBytes),
      width: NARROW,
      title: 'The change of main memory and GPU memory together',
    },
  ),
  textColumn('state', 'State', (row) => STATES[row.state], '6rem'),
  textColumn('kind', 'Kind', (row) => row.kind, '6rem'),
];
