// The asset cost report: a table, filters, totals with a memory budget, and how the numbers of an asset are computed.
import { useSignal } from '@preact/signals';
import { ASSETS_LISTED, type AssetReport, type AssetReportEntry } from '@svc/trace';
import { useMemo } from 'preact/hooks';
import { engineFor } from '../../client/engine-client.ts';
import { status } from '../../client/session.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { DataTable } from '../../controls/data-table.tsx';
import { Empty } from '../../controls/empty.tsx';
import { Figure } from '../../controls/figure.tsx';
import { Pending } from '../../controls/pending.tsx';
import {
  formatBytes,
  formatClock,
  formatCount,
  formatMs,
  formatPlural,
  formatShare,
} from '../../format/numbers.ts';
import { probeNote } from '../../format/probe-note.ts';
import { budgetMs, memoryBudget, selection } from '../../state/address.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import { assetColumns } from './asset-columns.tsx';
import { chosenAsset, keyOf } from './chosen-asset.ts';
import { type AssetSums, sumAssets, sumsOf } from './sum-assets.ts';
import './assets.css';
import type { AssetCalls } from './report-assets.ts';

const engine = engineFor<AssetCalls>();

const MIB = 1024 * 1024;
const NONE: readonly AssetReportEntry[] = [];

export function Assets() {
  const range = selection.value;
  const budget = budgetMs.value;
  const { answer: report, fault } = useAnswer(
    () => engine.call('assets', { slot: 'main', range, budgetMs: budget, most: ASSETS_LISTED }),
    [mainTrace.value, range, budget],
  );
  const filter = useAssetFilter(report?.assets ?? NONE);
  if (report === null) return <Pending fault={fault}>Adding up…</Pending>;
  if (report.assets.length === 0) return range === null ? <NoAssets /> : <NoneInRange />;
  const { shown } = filter;
  const chosen = shown.find((row) => keyOf(row) === chosenAsset.value);
  return (
    <div class="assets">
      <Totals sums={filter.isOn ? sumAssets(shown) : sumsOf(report.totals)} />
      <div class="toolbar">
        <Choice label="Kind" value={filter.kind} options={filter.kinds} />
        <Choice label="Source" value={filter.source} options={filter.sources} />
        <MemoryBudget />
        <span class="spring" />
        <Summary report={report} shown={shown.length} />
      </div>
      <DataTable
        label="Assets, most expensive first"
        columns={assetColumns(report.assets)}
        rows={shown}
        rowKey={keyOf}
        sortedBy="cost"
        chosen={(row) => row === chosen}
        choose={(row) => {
          chosenAsset.value = chosen === row ? '' : keyOf(row);
        }}
        tall
      />
      <NotListed report={report} />
      {chosen !== undefined && <Provenance entry={chosen} weights={report.weights} />}
    </div>
  );
}

/** The kind and the source that the user chose; empty for all. */
function useAssetFilter(all: readonly AssetReportEntry[]) {
  const kind = useSignal('');
  const source = useSignal('');
  const shown = useMemo(
    () =>
      all.filter(
        (one) =>
          (kind.value === '' || one.kind === kind.value) &&
          (source.value === '' || one.source === source.value),
      ),
    [all, kind.value, source.value],
  );
  return {
    kind,
    source,
    shown,
    isOn: kind.value !== '' || source.value !== '',
    kinds: [...new Set(all.map((one) => one.kind))].sort(),
    sources: [...new Set(all.map((one) => one.source))].sort(),
  };
}

function MemoryBudget() {
  return (
    <label class="field-inline">
      Memory budget
      <input
        type="number"
        min="0"
        step="16"
        placeholder="none"
        value={memoryBudget.value === 0 ? '' : memoryBudget.value / MIB}
        onInput={(event) => {
          memoryBudget.value = Math.max(0, Number(event.currentTarget.value) || 0) * MIB;
        }}
      />
      MiB
    </label>
  );
}

function Summary({ report, shown }: { readonly report: AssetReport; readonly shown: number }) {
  const range = selection.value;
  return (
    <p class="hint">
      {report.left_out > 0
        ? `${formatCount(shown)} of ${formatPlural(report.totals.assets, 'asset')} `
        : `${formatPlural(shown, 'asset')} `}
      {range === null
        ? 'of the whole trace'
        : `active from ${formatClock(range.from)} to ${formatClock(range.to)}, sizes as known then`}
      . Cost is in frame budgets of {formatMs(report.budget_ms)}.
    </p>
  );
}

function NotListed({ report }: { readonly report: AssetReport }) {
  if (report.left_out === 0) return null;
  return (
    <p class="note tone-info">
      {formatCount(report.left_out)} more assets are not listed. None of them costs more than the
      listed ones. Filters apply only to the {formatCount(report.assets.length)} listed assets.
    </p>
  );
}

type Choosing = {
  readonly label: string;
  readonly value: { value: string };
  readonly options: readonly string[];
};

function Choice({ label, value, options }: Choosing) {
  return (
    <label class="field-inline">
      {label}
      <select
        value={value.value}
        onChange={(event) => {
          value.value = event.currentTarget.value;
        }}
      >
        <option value="">all</option>
        {options.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

function Totals({ sums }: { readonly sums: AssetSums }) {
  const used = sums.bytes + sums.gpuBytes;
  const budget = memoryBudget.value;
  const unknown =
    sums.unknownSizes === 0 ? '' : `${formatCount(sums.unknownSizes)} of unknown size`;
  return (
    <dl class="figures">
      <Figure name="Main memory" value={formatBytes(sums.bytes)}>
        {unknown}
      </Figure>
      <Figure name="GPU memory" value={formatBytes(sums.gpuBytes)}>
        as far as known
      </Figure>
      <Figure name="Main thread" value={formatMs(sums.mainThreadMs)}>
        spent on assets
      </Figure>
      {budget === 0 ? (
        <Figure name="Budget" value="–">
          set a memory budget below
        </Figure>
      ) : (
        <Figure name="Budget" value={formatShare(used / budget)}>
          <meter
            min={0}
            max={budget}
            low={budget * 0.9}
            high={budget * 0.999}
            optimum={0}
            value={Math.min(used, budget)}
            aria-label="Memory against the budget"
          />
          <small>
            {used > budget
              ? `${formatBytes(used - budget)} over`
              : `${formatBytes(budget - used)} left`}
          </small>
        </Figure>
      )}
    </dl>
  );
}

function Provenance({
  entry,
  weights,
}: {
  readonly entry: AssetReportEntry;
  readonly weights: Readonly<Record<string, number>>;
}) {
  return (
    <aside class="provenance" aria-label={`Where the numbers of ${entry.name} come from`}>
      <h2 class="wrap-anywhere">{entry.name}</h2>
      {entry.advice.map((advice) => (
        <p key={advice.code} class="note tone-info">
          {advice.text}
        </p>
      ))}
      <p>
        {formatCount(entry.uses)} records of the{' '}
        {entry.source === 'browser' ? 'browser collector' : entry.source} describe this asset. Times
        are summed over them, and sizes are the latest values. A dash means that the value was not
        measured.
      </p>
      <p>
        Cost is a sum in frame budgets: hitch time (for each frame at most the asset’s own
        main-thread time) × {weights['hitch_per_budget']}, main-thread time ×{' '}
        {weights['main_thread_per_budget']}, other time × {weights['background_per_budget']}, each
        MiB of memory × {weights['memory_per_mib']} and of GPU memory ×{' '}
        {weights['gpu_memory_per_mib']}.
      </p>
    </aside>
  );
}

function NoneInRange() {
  return (
    <Empty title="No asset in this time range">
      Nothing was loaded, decoded or uploaded in the selected time range. Show all, or select a
      longer range.
    </Empty>
  );
}

function NoAssets() {
  const note = probeNote('files', status.value);
  const collector = (
    <>
      <code>@svc/collector</code> in a browser game’s page records what is loaded, decoded and
      uploaded, with the names that you give. Open its .vpt file here.
    </>
  );
  return (
    <Empty title="No assets in this trace">
      {note ?? (
        <>
          <code>svc dashboard --pid PID --probes files</code> records the files that a native game
          reads.
        </>
      )}{' '}
      {collector}
    </Empty>
  );
}
