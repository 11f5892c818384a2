// Formats one moment in full: the frame with its neighbours, then what happened in it.
import { boundNames, bytesText } from '@svc/trace';
import type { Block, TableRow } from '../../output/blocks.ts';
import { signed } from '../../output/signed.ts';
import type { Column } from '../../output/table.ts';
import { formatCount, formatDuration } from '../../output/text.ts';
import { causeClauses } from '../../trace/describe-causes.ts';
import { noteLine } from '../../trace/describe-notes.ts';
import { momentName, namedTimeText, secondsText } from '../../trace/moment-place.ts';
import { momentTable, processCells } from './format-moment-list.ts';
import type { OneFrame, OneMoment } from './one-moment.ts';

const right = (title: string): Column => ({ title, align: 'right' });
const left = (title: string): Column => ({ title, max: 1000 });

export function formatMoment(moment: OneMoment): Block[] {
  const rows = <Item>(items: readonly Item[], cells: (item: Item) => string[]): TableRow[] =>
    items.map((item) => ({ cells: cells(item) }));
  const blocks: Block[] = [
    { kind: 'text', lines: headOf(moment), tone: 'bold' },
    { kind: 'list', title: 'Notes', items: moment.notes.map(noteLine) },
    framesTable(moment),
    { ...momentTable(true, moment.hitches), title: 'Hitches' },
    {
      kind: 'table',
      title: 'Memory at the end',
      columns: [right('SIZE'), right('CHANGE'), { title: 'MEMORY' }],
      rows: rows(moment.memory, ({ bytes, change, label }) => [
        ...[bytesText(bytes), change === null ? '?' : signed(change, bytesText), label],
      ]),
    },
    {
      kind: 'table',
      title: 'Process',
      columns: [right('TIME'), right('CPU'), right('RSS'), right('RISE')],
      rows: rows(moment.process, (one) => [secondsText(one.t), ...processCells(one)]),
    },
    {
      kind: 'table',
      title: moment.functions.every(({ exact }) => exact)
        ? 'Functions'
        : 'Functions, also of the whole seconds around it',
      columns: [right('SELF'), right('TOTAL'), { title: 'UNIT' }, left('FUNCTION')],
      rows: rows(moment.functions, ({ self, total, unit, name }) => [
        ...[String(self), String(total), unit, name],
      ]),
    },
    {
      kind: 'table',
      title: 'Assets',
      columns: [right('TIME'), right('SIZE'), right('GPU'), { title: 'PHASE' }, left('ASSET')],
      rows: rows(moment.assets, ({ within_ms, bytes, gpu_bytes, phase, name }) => [
        ...[msText(within_ms), sizeText(bytes), sizeText(gpu_bytes), phase, name],
      ]),
    },
    {
      kind: 'table',
      title: 'Long tasks',
      columns: [right('TIME'), right('WHOLE'), left('SCRIPTS')],
      rows: rows(moment.longtasks, ({ within_ms, duration_ms, scripts }) => [
        ...[msText(within_ms), msText(duration_ms)],
        scripts.map((script) => `${script.name} ${msText(script.duration_ms)}`).join(', '),
      ]),
    },
    ...spanTables(moment.spans),
    {
      kind: 'table',
      title: 'Marks',
      columns: [right('TIME'), left('MARK')],
      rows: rows(moment.marks, ({ t, name }) => [secondsText(t), name]),
    },
    {
      kind: 'table',
      title: 'Log',
      columns: [right('TIME'), { title: 'LEVEL' }, left('TEXT')],
      rows: rows(moment.logs, ({ t, level, text }) => [secondsText(t), level, text]),
    },
    {
      kind: 'table',
      title: 'Losses',
      columns: [right('TIME'), right('DURATION'), left('REASON')],
      rows: rows(moment.losses, ({ t, duration_ms, reason }) => [
        ...[secondsText(t), duration_ms === null ? '' : formatDuration(duration_ms), reason],
      ]),
    },
  ];
  const isEmpty = !blocks.some(
    (block) =>
      (block.kind === 'table' && block.rows.length > 0) ||
      (block.kind === 'list' && block.items.length > 0),
  );
  return [
    ...blocks,
    ...(isEmpty ? [{ kind: 'text', lines: ['The trace has nothing in this time.'] } as const] : []),
    ...notes(moment.left_out),
  ];
}

function headOf({ moment, longest_in, source, explanation, frame }: OneMoment): string[] {
  const { t, duration_ms, kind } = moment;
  const clauses = frame === null ? [] : causeClauses(frame.causes, frame.duration_ms);
  const name = kind === 'range' ? '' : `${momentName(moment)}: `;
  const of = source === null ? '' : ` (${source})`;
  const longest =
    longest_in === null
      ? ''
      : `, the longest hitch ${namedTimeText(longest_in.t, longest_in.duration_ms)}`;
  return [
    `${name}${duration_ms} ms at ${secondsText(t)}${of}${longest}`,
    ...(explanation === null ? [] : [explanation]),
    ...(clauses.length === 0
      ? []
      : [`${clauses.length === 1 ? 'Cause' : 'Causes'}: ${clauses.join(', ')}.`]),
  ];
}

function framesTable({ before, frame, after, moment, source }: OneMoment): Block {
  const shown = [
    { name: 'before', of: before },
    { name: momentName(moment), of: frame },
    { name: 'after', of: after },
  ].flatMap(({ name, of }) => (of === null ? [] : [{ name, of }]));
  const columns = FRAME_COLUMNS.filter(({ cell }) =>
    shown.some(({ of }) => cell(of, source) !== null),
  );
  return {
    kind: 'table',
    title: 'Frames',
    columns: [{ title: 'FRAME' }, ...columns.map(({ column }) => column)],
    rows: shown.map(({ name, of }) => ({
      cells: [name, ...columns.map(({ cell }) => cell(of, source) ?? '?')],
    })),
  };
}

/** A cell is null if the value was not measured. Columns without any value are left out. */
const FRAME_COLUMNS: readonly {
  readonly column: Column;
  readonly cell: (frame: OneFrame, source: string | null) => string | null;
}[] = [
  { column: right('TIME'), cell: ({ t }) => secondsText(t) },
  { column: right('DURATION'), cell: ({ duration_ms }) => msText(duration_ms) },
  { column: right('MAIN'), cell: ({ main_ms }) => (main_ms === null ? null : msText(main_ms)) },
  { column: right('GPU'), cell: ({ gpu_ms }) => (gpu_ms === null ? null : msText(gpu_ms)) },
  { column: right('DRAWS'), cell: ({ draws }) => (draws === null ? null : formatCount(draws)) },
  {
    column: right('TRIANGLES'),
    cell: ({ triangles }) => (triangles === null ? null : formatCount(triangles)),
  },
  { column: { title: 'BOUND BY' }, cell: boundCell },
];

function boundCell({ over_budget, bound, lost }: OneFrame, source: string | null): string {
  return `${over_budget ? boundNames(source)[bound] : 'within budget'}${lost ? ', data lost' : ''}`;
}

const GC_TRACK = 'gc';

function spanTables(spans: OneMoment['spans']): Block[] {
  const table = (title: string, of: OneMoment['spans']): Block => ({
    kind: 'table',
    title,
    columns: [right('TIME'), { title: 'TRACK' }, left('NAME')],
    rows: of.map(({ within_ms, track, name }) => ({
      cells: [msText(within_ms), track ?? '', name],
    })),
  });
  const isGc = ({ track }: OneMoment['spans'][number]): boolean => track === GC_TRACK;
  return [
    table('Garbage collections', spans.filter(isGc)),
    table(
      'Spans',
      spans.filter((span) => !isGc(span)),
    ),
  ];
}

function notes(left_out: number): Block[] {
  if (left_out === 0) return [];
  const what = left_out === 1 ? '1 more record is' : `${formatCount(left_out)} more records are`;
  const lines = [`${what} in it. Use --limit N to list more.`];
  return [{ kind: 'note', lines }];
}

function msText(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}

function sizeText(bytes: number | null): string {
  return bytes === null ? '' : bytesText(bytes);
}
