// The table of assets in two traces: new, gone, or with a changed cost.

import { engineFor } from '../../client/engine-client.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { nameColumn, numberColumn, textColumn } from '../../controls/columns.tsx';
import { type Column, DataTable } from '../../controls/data-table.tsx';
import { Pending } from '../../controls/pending.tsx';
import { formatBytes, formatDelta } from '../../format/numbers.ts';
import { budgetMs } from '../../state/address.ts';
import { mainTrace, otherTrace } from '../../traces/open-traces.ts';
import type { AssetCalls } from '../assets/report-assets.ts';
import { type ComparedRanges, comparedRanges } from './compared-ranges.ts';
import { type AssetDiffRow, joinAssets } from './join-assets.ts';

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
      rowKey={(row) => row.key}
      tall
    />
  );
}

async function load(budgetMs: number, { before, after }: ComparedRanges): Promise<AssetDiffRow[]> {
  const [was, is] = await Promise.all([
    engine.call('assets', { slot: 'other', range: before, budgetMs }),
    engine.call('assets', { slot: 'main', range: after, budgetMs }),
  ]);
  return joinAssets(was.assets, is.assets);
}

const cost = (value: number): string => value.toFixed(2);

const COLUMNS: readonly Column<AssetDiffRow>[] = [
  nameColumn('Asset'),
  textColumn('state', 'State', (row) => row.state, '6rem'),
  textColumn('kind', 'Kind', (row) => row.kind, '6rem'),
  numberColumn('cost-before', 'Cost before', (row) => row.costBefore, { format: cost }),
  numberColumn('cost-after', 'Cost after', (row) => row.costAfter, { format: cost }),
  numberColumn('cost-change', 'Change', (row) => (row.costAfter ?? 0) - (row.costBefore ?? 0), {
    format: (change) => formatDelta(change, cost),
  }),
  numberColumn('bytes-before', 'Memory before', (row) => row.bytesBefore, { format: formatBytes }),
  numberColumn('bytes-after', 'Memory after', (row) => row.bytesAfter, { format: formatBytes }),
];
