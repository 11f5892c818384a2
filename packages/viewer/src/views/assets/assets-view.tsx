// The asset cost report: the hardest first, with bars, filters, totals against a budget, and where each number comes from.
import { useSignal } from '@preact/signals';
import { ASSETS_LISTED, type AssetReportEntry } from '@svc/trace';
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
  formatShare,
} from '../../format/numbers.ts';
import { probeNote } from '../../format/probe-note.ts';
import { budgetMs, memoryBudget, selection } from '../../state/address.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import { assetColumns } from './asset-columns.tsx';
import { type AssetSums, sumAssets, sumsOf } from './sum-assets.ts';
import './assets.css';
import type { AssetCalls } from './report-assets.ts';

const engine = engineFor<AssetCalls>();

const MIB = 1024 * 1024;
const NONE: readonly AssetReportEntry[] = [];

export function Assets() {
  const kind = useSignal('');
  const source = useSignal('');
  /** By its key: a report of a trace that grows is made anew each second. */
  const chosenKey = useSignal('');
  const range = selection.value;
  const budget = budgetMs.value;
  const { answer: report, fault } = useAnswer(
    () => engine.call('assets', { slot: 'main', range, budgetMs: budget, most: ASSETS_LISTED }),
    [mainTrace.value, range, budget],
  );
  const all = report?.assets ?? NONE;
  const shown = useMemo(
    () =>
      all.filter(
        (one) =>
          (kind.value === '' || one.kind === kind.value) &&
          (source.value === '' || one.source === source.value),
      ),
    [all, kind.value, source.value],
  );
  const unfiltered = kind.value === '' && source.value === '';
  const chosen = shown.find((row) => keyOf(row) === chosenKey.value);
  if (report === null) return <Pending fault={fault}>Adding up…</Pending>;
  if (all.length === 0) return range === null ? <NoAssets /> : <NoneInRange />;
  return (
    <div class="assets">
      <Totals sums={unfiltered ? sumsOf(report.totals) : sumAssets(shown)} />
      <div class="toolbar">
        <Choice
          label="Kind"
          value={kind}
          options={[...new Set(all.map((one) => one.kind))].sort()}
        />
        <Choice
          label="Source"
          value={source}
          options={[...new Set(all.map((one) => one.source))].sort()}
        />
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
        <span class="spring" />
        <p class="hint">
          {formatCount(shown.length)}
          {report.left_out > 0 && ` of ${formatCount(report.totals.assets)}`} assets{' '}
          {range === null
            ? 'of the whole trace'
            : `worked on from ${formatClock(range.from)} to ${formatClock(range.to)}, sizes as known then`}
          . Cost is in frame budgets of {formatMs(report.budget_ms)}.
        </p>
      </div>
      <DataTable
        label="Assets, hardest first"
        columns={assetColumns(all)}
        rows={shown}
        rowKey={keyOf}
        sortedBy="cost"
        chosen={(row) => row === chosen}
        choose={(row) => {
          chosenKey.value = chosen === row ? '' : keyOf(row);
        }}
        tall
      />
      {report.left_out > 0 && (
        <p class="note tone-info">
          {formatCount(report.left_out)} more assets are not listed. Each costs no more than the
          last of the {formatCount(all.length)} that are; filters look at those.
        </p>
      )}
      {chosen !== undefined && <Provenance entry={chosen} weights={report.weights} />}
    </div>
  );
}

function keyOf({ source, id }: AssetReportEntry): string {
  return `${source}/${typeof id}/${id}`;
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
        as far as it is known
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
        {entry.source === 'browser' ? 'browser collector' : entry.source} tell of it. Times add up
        over them; a size is the latest that was told. A dash means that nothing measured it.
      </p>
      <p>
        Cost adds, in frame budgets: hitch time (of each frame at most its own main-thread time) ×{' '}
        {weights['hitch_per_budget']}, main-thread time × {weights['main_thread_per_budget']}, other
        time × {weights['background_per_budget']}, each MiB of memory × {weights['memory_per_mib']}{' '}
        and of GPU memory × {weights['gpu_memory_per_mib']}.
      </p>
    </aside>
  );
}

function NoneInRange() {
  return (
    <Empty title="No asset in this stretch">
      Nothing was loaded, decoded or uploaded in the selected time. Show all, or select more of it.
    </Empty>
  );
}

function NoAssets() {
  const note = probeNote('files', status.value);
  const collector = (
    <>
      <code>@svc/collector</code> in a browser game’s page notes what is loaded, decoded and
      uploaded, and names what you name: open its .vpt here.
    </>
  );
  return (
    <Empty title="No assets in this trace">
      {note ?? (
        <>
          <code>svc dashboard --pid PID --probes files</code> notes the files that a native game
          reads.
        </>
      )}{' '}
      {collector}
    </Empty>
  );
}
