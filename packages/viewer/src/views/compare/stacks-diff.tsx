// The comparison of stacks: a differential flame graph, or a table of functions.
import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { engineFor } from '../../client/engine-client.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { nameColumn, numberColumn } from '../../controls/columns.tsx';
import { copyText } from '../../controls/copy-button.tsx';
import { type Column, DataTable } from '../../controls/data-table.tsx';
import { Pending } from '../../controls/pending.tsx';
import { TableToggle } from '../../controls/table-toggle.tsx';
import { formatDelta, formatShare, formatValue } from '../../format/numbers.ts';
import { hidePattern, keepPattern, mergePattern, search } from '../../state/address.ts';
import { has, mainTrace, otherTrace } from '../../traces/open-traces.ts';
import { BoxFacts } from '../stacks/box-tooltip.tsx';
import type { DiffTable } from '../stacks/derive/diff-functions.ts';
import type { StackQuery } from '../stacks/derive/query.ts';
import type { DiffSide, DiffWidth } from '../stacks/derive/scene-request.ts';
import type { BoxInfo, FlameInfo } from '../stacks/draw/flame-info.ts';
import { FlameExport } from '../stacks/flame-export.tsx';
import { FlameGraph } from '../stacks/flame-graph.tsx';
import type { StackCalls } from '../stacks/stack-calls.ts';
import { StackFilters } from '../stacks/stack-filters.tsx';
import { group, stackRevision } from '../stacks/stack-state.ts';
import { comparedRanges } from './compared-ranges.ts';

const engine = engineFor<StackCalls>();

type Props = {
  /** Whether the stacks of the open trace have two counts each, which are compared. */
  readonly twoWeights: boolean;
  readonly asTable: Signal<boolean>;
};

export function StacksDiff({ twoWeights, asTable }: Props) {
  const width = useSignal<DiffWidth>('after');
  const info = useSignal<FlameInfo | null>(null);
  const sides = sidesOf(twoWeights);
  if (!has('stacks') || (!twoWeights && (otherTrace.value?.counts['stacks'] ?? 0) === 0)) {
    return <p class="hint">To compare stacks, both traces must have them.</p>;
  }
  return (
    <div class="stacks">
      <div class="subbar">
        <StackFilters comparing />
        <WidthChoice width={width} />
        <span class="spring" />
        <DiffLegend />
        <TableToggle table={asTable} />
        {!asTable.value && <FlameExport canvas="diff" info={info} />}
      </div>
      {!twoWeights && <Differences />}
      {asTable.value ? (
        <FunctionsDiff {...sides} />
      ) : (
        <DiffGraph sides={sides} width={width.value} info={info} />
      )}
    </div>
  );
}

function WidthChoice({ width }: { readonly width: Signal<DiffWidth> }) {
  return (
    <label class="field-inline">
      Widths
      <select
        value={width.value}
        onChange={(event) => {
          const { value } = event.currentTarget;
          width.value = value === 'before' || value === 'larger' ? value : 'after';
        }}
      >
        <option value="after">after</option>
        <option value="before">before</option>
        <option value="larger">the larger</option>
      </select>
    </label>
  );
}

type Sides = { readonly before: DiffSide; readonly after: DiffSide };
type GraphProps = {
  readonly sides: Sides;
  readonly width: DiffWidth;
  readonly info: Signal<FlameInfo | null>;
};

function DiffGraph({ sides, width, info }: GraphProps) {
  const chosen = useSignal<BoxInfo | null>(null);
  return (
    <>
      <FlameGraph
        name="diff"
        label="Differential flame graph"
        scene={{ kind: 'diff', ...sides, width }}
        revision={stackRevision.value + (otherTrace.value?.bytes ?? 0)}
        search={search.value}
        searched={() => undefined}
        info={info}
        chosen={chosen}
      />
      <div class="chosen-box">
        {chosen.value === null ? (
          <p class="hint">
            Colours compare shares: the part that a box has of its own trace. Click a box to see its
            numbers.
          </p>
        ) : (
          <>
            <div class="chosen-facts">
              <BoxFacts found={chosen.value} unit={info.value?.unit ?? ''} />
            </div>
            <button
              type="button"
              class="button small"
              onClick={() => void copyText(chosen.value?.path.join(';') ?? '', 'stack')}
            >
              Copy stack
            </button>
          </>
        )}
      </div>
    </>
  );
}

/** Warns if the compared stacks have different units, or no times although a time range is compared. */
function Differences() {
  const { answer } = useAnswer(
    () => engine.call('stackGroups', { slot: 'other' }),
    [otherTrace.value],
  );
  const others = answer ?? [];
  const own = group.value;
  const other = others.find(({ id }) => id === own?.id) ?? others[0];
  if (own === null || other === undefined) return null;
  const { before, after } = comparedRanges.value;
  const untimed = [
    ...(before !== null && !other.timed ? [otherTrace.value?.name] : []),
    ...(after !== null && !own.timed ? [mainTrace.value?.name] : []),
  ];
  return (
    <>
      {other.id !== own.id && (
        <p class="note tone-warn">
          The stacks have different units: before {other.source} in {other.unit}, after {own.source}{' '}
          in {own.unit}. Only shares can be compared.
        </p>
      )}
      {untimed.length > 0 && (
        <p class="hint">
          The stacks of {untimed.join(' and ')} have no times, so all of them are compared.
        </p>
      )}
    </>
  );
}

function sidesOf(twoWeights: boolean): Sides {
  const query: StackQuery = {
    group: group.value?.id ?? null,
    range: comparedRanges.value.after,
    hide: hidePattern.value,
    keep: keepPattern.value,
    merge: mergePattern.value,
    weight: 'after',
  };
  const after: DiffSide = { slot: 'main', query };
  if (twoWeights) return { before: { slot: 'main', query: { ...query, weight: 'before' } }, after };
  return {
    before: { slot: 'other', query: { ...query, range: comparedRanges.value.before } },
    after,
  };
}

function DiffLegend() {
  return (
    <ul class="legend" aria-label="Colours">
      <li>
        <i style={{ background: 'var(--diff-less)' }} />
        smaller share
      </li>
      <li>
        <i style={{ background: 'var(--diff-same)' }} />
        the same
      </li>
      <li>
        <i style={{ background: 'var(--diff-more)' }} />
        larger share
      </li>
    </ul>
  );
}

type Row = { readonly index: number; readonly name: string };

function FunctionsDiff({ before, after }: Sides) {
  const { answer: data, fault } = useAnswer(
    () => engine.call('diffFunctions', { before, after }),
    [JSON.stringify([before, after]), mainTrace.value, otherTrace.value],
  );
  const columns = useMemo(() => (data === null ? [] : columnsOf(data)), [data]);
  const rows = useMemo(
    () => data?.names.map((name, index): Row => ({ index, name })) ?? [],
    [data],
  );
  if (data === null) return <Pending fault={fault}>Adding up…</Pending>;
  return (
    <DataTable
      label="Functions, before and after"
      columns={columns}
      rows={rows}
      rowKey={(row) => row.index}
      tall
    />
  );
}

function columnsOf(data: DiffTable): Column<Row>[] {
  const share = (value: number | undefined, sum: number): number =>
    sum === 0 ? 0 : (value ?? 0) / sum;
  const change = (row: Row, after: Float64Array, before: Float64Array): number =>
    share(after[row.index], data.sumAfter) - share(before[row.index], data.sumBefore);
  const value = (weight: number): string => formatValue(weight, data.unit);
  const weight = (id: string, head: string, from: Float64Array): Column<Row> =>
    numberColumn(id, head, (row) => from[row.index] ?? 0, { format: value });
  const shift = (
    id: string,
    head: string,
    after: Float64Array,
    before: Float64Array,
  ): Column<Row> =>
    numberColumn(id, head, (row) => change(row, after, before), {
      format: (by) => formatDelta(by, formatShare),
      title: 'Difference of shares, in percent of all',
    });
  return [
    nameColumn('Function', { mono: true, width: '16rem' }),
    weight('self-before', 'Self before', data.selfBefore),
    weight('self-after', 'Self after', data.selfAfter),
    shift('self-change', 'Self change', data.selfAfter, data.selfBefore),
    weight('total-before', 'Total before', data.totalBefore),
    weight('total-after', 'Total after', data.totalAfter),
    shift('total-change', 'Total change', data.totalAfter, data.totalBefore),
  ];
}
