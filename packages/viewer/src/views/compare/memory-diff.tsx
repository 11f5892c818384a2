// The memory of two traces over time, as curves and as a table.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { engineFor } from '../../client/engine-client.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { ChartCanvas } from '../../controls/chart-canvas.tsx';
import { ChartMenu } from '../../controls/chart-menu.tsx';
import { numberColumn, textColumn, timeColumn } from '../../controls/columns.tsx';
import { type Column, DataTable } from '../../controls/data-table.tsx';
import { Pending } from '../../controls/pending.tsx';
import { formatBytes, formatDelta } from '../../format/numbers.ts';
import { colours } from '../../state/theme.ts';
import { fileStem } from '../../traces/export-trace.ts';
import { mainTrace, otherTrace } from '../../traces/open-traces.ts';
import type { TimelineCalls } from '../timeline/timeline-data.ts';
import { type ComparedRanges, comparedRanges } from './compared-ranges.ts';
import { AFTER_TOKEN, BEFORE_TOKEN, curvesHeight, drawCurves } from './draw-curves.ts';
import { type CurvePair, type CurveRow, curveRows, pairCurves } from './pair-curves.ts';

const engine = engineFor<TimelineCalls>();

export function MemoryDiff() {
  const asTable = useSignal(false);
  const of = comparedRanges.value;
  const { answer: shown, fault } = useAnswer(
    () => load(of),
    [mainTrace.value, otherTrace.value, of],
  );
  if (shown === null) return <Pending fault={fault}>Reading…</Pending>;
  if (shown.length === 0) {
    return <p class="hint">Neither trace has memory over time. See Stacks or Assets.</p>;
  }
  const size = { width: 1200, height: curvesHeight(shown).least };
  const name = `${fileStem(mainTrace.value?.name ?? 'trace')}-memory`;
  return (
    <>
      <div class="subbar">
        <span class="key">
          <i style={{ background: `var(--${BEFORE_TOKEN})` }} />
          before, {otherTrace.value?.name}
        </span>
        <span class="key">
          <i style={{ background: `var(--${AFTER_TOKEN})` }} />
          after, {mainTrace.value?.name}
        </span>
        {shown.some(hasGaps) && <span class="key">hatched: data was lost</span>}
        <span class="spring" />
        <ChartMenu
          name={name}
          table={asTable}
          size={() => size}
          draw={(pen) => drawCurves(pen, shown, size, colours.value)}
        />
      </div>
      {asTable.value ? (
        <CurveTable pairs={shown} />
      ) : (
        <ChartCanvas
          label="Memory over time, before and after; the table lists the same"
          {...curvesHeight(shown)}
          draw={(pen, room, tokens) => drawCurves(pen, shown, room, tokens)}
          of={[shown]}
        />
      )}
    </>
  );
}

function hasGaps({ before, after }: CurvePair): boolean {
  return (before?.gaps.length ?? 0) + (after?.gaps.length ?? 0) > 0;
}

async function load(of: ComparedRanges): Promise<CurvePair[]> {
  const [before, after] = await Promise.all([
    engine.call('timeline', { slot: 'other' }),
    engine.call('timeline', { slot: 'main' }),
  ]);
  return pairCurves(before, after, of);
}

const COLUMNS: readonly Column<CurveRow>[] = [
  timeColumn(),
  textColumn('what', 'What', (row) => row.what),
  numberColumn('before', 'Before', (row) => row.before, { format: formatBytes }),
  numberColumn('after', 'After', (row) => row.after, { format: formatBytes }),
  numberColumn('change', 'Change', changeOf, {
    format: (change) => formatDelta(change, formatBytes),
  }),
];

function changeOf({ before, after }: CurveRow): number | null {
  return before === null || after === null ? null : after - before;
}

function CurveTable({ pairs }: { readonly pairs: readonly CurvePair[] }) {
  const rows = useMemo(() => pairs.flatMap(curveRows), [pairs]);
  return (
    <DataTable
      label="Memory over time, before and after"
      columns={COLUMNS}
      rows={rows}
      rowKey={(row) => row.id}
      tall
    />
  );
}
