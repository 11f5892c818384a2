// The table of frame statistics and memory of two traces.

import { engineFor } from '../../client/engine-client.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { type Column, DataTable } from '../../controls/data-table.tsx';
import { Pending } from '../../controls/pending.tsx';
import { formatDelta, formatShare } from '../../format/numbers.ts';
import { budgetMs } from '../../state/address.ts';
import { mainTrace, otherTrace } from '../../traces/open-traces.ts';
import type { FrameCalls } from '../frames/derive-frames.ts';
import type { TimelineCalls } from '../timeline/timeline-data.ts';
import { type CompareRow, compareFrames, compareLines, judgeRow } from './compare-rows.ts';
import { type ComparedRanges, comparedRanges } from './compared-ranges.ts';

const engine = engineFor<FrameCalls & TimelineCalls>();

export function NumbersDiff() {
  const of = comparedRanges.value;
  const budget = budgetMs.value;
  const { answer: rows, fault } = useAnswer(
    () => load(budget, of),
    [mainTrace.value, otherTrace.value, budget, of],
  );
  if (rows === null) return <Pending fault={fault}>Counting…</Pending>;
  if (rows.length === 0) {
    return <p class="hint">Neither trace has frames or memory. See Stacks or Assets.</p>;
  }
  return (
    <DataTable
      label="Frames and memory, before and after"
      columns={COLUMNS}
      rows={rows}
      rowKey={(row) => row.id}
      tall
    />
  );
}

async function load(budgetMs: number, { before, after }: ComparedRanges): Promise<CompareRow[]> {
  const [framesBefore, framesAfter, linesBefore, linesAfter] = await Promise.all([
    engine.call('frames', { slot: 'other', range: before, budgetMs }),
    engine.call('frames', { slot: 'main', range: after, budgetMs }),
    engine.call('timeline', { slot: 'other' }),
    engine.call('timeline', { slot: 'main' }),
  ]);
  return [
    ...compareFrames(framesBefore, framesAfter),
    ...compareLines(linesBefore, linesAfter, { before, after }),
  ];
}

const COLUMNS: readonly Column<CompareRow>[] = [
  { id: 'what', head: 'What', cell: (row) => row.what, width: '9rem' },
  { id: 'source', head: 'Source', cell: (row) => row.source, width: '5rem' },
  side('before', 'Before', (row) => row.before),
  side('after', 'After', (row) => row.after),
  {
    id: 'change',
    head: 'Change',
    cell: (row) => <Change row={row} />,
    numeric: true,
    width: '9rem',
  },
  { id: 'relative', head: 'Relative', cell: relative, numeric: true, width: '6rem' },
];

/** Not sortable, because the rows have different units. */
function side(
  id: string,
  head: string,
  of: (row: CompareRow) => number | null,
): Column<CompareRow> {
  const cell = (row: CompareRow): string => {
    const value = of(row);
    return value === null ? '–' : row.format(value);
  };
  return { id, head, cell, numeric: true, width: '6rem' };
}

function relative(row: CompareRow): string {
  if (row.before === null || row.after === null || row.before === 0) return '–';
  return formatDelta((row.after - row.before) / row.before, formatShare);
}

/** A difference. Colour and words state whether it is better or worse, if known. */
function Change({ row }: { readonly row: CompareRow }) {
  if (row.before === null || row.after === null) return <>–</>;
  const judged = judgeRow(row);
  return (
    <span class={judged === 'better' ? 'good' : (judged ?? undefined)}>
      {formatDelta(row.after - row.before, row.format)}
      {judged !== null && ` ${judged}`}
    </span>
  );
}
