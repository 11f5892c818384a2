// Formats the list of the worst moments: one line each.
import { boundNames, bytesText } from '@svc/trace';
import type { Block } from '../../output/blocks.ts';
import type { Column } from '../../output/table.ts';
import { formatCount } from '../../output/text.ts';
import { causeClauses } from '../../trace/describe-causes.ts';
import { titleText } from '../../trace/describe-notes.ts';
import { formatHitchCount } from '../../trace/frame-budget.ts';
import { secondsText } from '../../trace/moment-place.ts';
import type { ListedMoment, MomentList } from './list-moments.ts';

const MOMENT: Column = { title: 'MOMENT' };
const TIME: Column = { title: 'TIME', align: 'right' };

/** Narrow, because another column has the longest text. */
const NOTE = { title: 'NOTE', max: 40 } as const satisfies Column;

const HITCH_COLUMNS: readonly Column[] = [
  MOMENT,
  TIME,
  { title: 'DURATION', align: 'right' },
  { title: 'BOUND BY' },
];
const CAUSES: Column = { title: 'CAUSES', max: 1000 };

const SECOND_COLUMNS: readonly Column[] = [
  MOMENT,
  TIME,
  { title: 'CPU', align: 'right' },
  { title: 'RSS', align: 'right' },
  { title: 'RISE', align: 'right' },
];

export function formatMomentList(list: MomentList): Block[] {
  const { of, answer, moments, count } = list;
  if (of === 'nothing') {
    return [
      {
        kind: 'text',
        lines: [
          'The trace has no frames and no samples of a process, so no moment stands out. svc trace top lists its functions.',
        ],
      },
    ];
  }
  const isFrames = of === 'hitches';
  return [
    {
      kind: 'text',
      lines: isFrames
        ? [answer, formatHitchCount(list)]
        : [
            'The trace has no frames. These are the seconds with the most CPU time (cpu:N), and those in which RSS rose most (memory:N).',
          ],
    },
    momentTable(isFrames, moments),
    { kind: 'note', lines: notesOf(count - moments.length, moments[0]) },
  ];
}

/**
 * One row for each moment: hitches if there are frames, otherwise seconds of a process. The column of the notes is left out if no
 * moment has one.
 */
export function momentTable(
  isFrames: boolean,
  moments: readonly ListedMoment[],
): Extract<Block, { kind: 'table' }> {
  const hasNotes = moments.some(({ note }) => note !== null);
  const noteCell = ({ note }: ListedMoment): string[] =>
    hasNotes ? [titleText(note ?? '', NOTE.max)] : [];
  const noteColumn = hasNotes ? [NOTE] : [];
  return {
    kind: 'table',
    columns: isFrames
      ? [...HITCH_COLUMNS, ...noteColumn, CAUSES]
      : [...SECOND_COLUMNS, ...noteColumn],
    rows: moments.map((moment) => ({
      cells: isFrames
        ? [...hitchCells(moment), ...noteCell(moment), causesCell(moment)]
        : [...secondCells(moment), ...noteCell(moment)],
    })),
  };
}

function notesOf(left: number, first: ListedMoment | undefined): string[] {
  return [
    ...(left === 0
      ? []
      : [
          `${formatCount(left)} more ${left === 1 ? 'moment is' : 'moments are'} not listed. Use --limit N to list more.`,
        ]),
    ...(first === undefined ? [] : [`Use --at ${first.name} for all about one moment.`]),
  ];
}

function hitchCells({ name, source, t, duration_ms, bound }: ListedMoment): string[] {
  const boundName = boundNames(source)[bound ?? 'unknown'];
  return [name, secondsText(t), `${duration_ms.toFixed(1)} ms`, boundName];
}

function causesCell({ causes, duration_ms }: ListedMoment): string {
  return causeClauses(causes, duration_ms).join(', ');
}

function secondCells({ name, t, cpu_percent, rss_bytes, rise_bytes }: ListedMoment): string[] {
  return [name, secondsText(t), ...processCells({ cpu_percent, rss_bytes, rise_bytes })];
}

/** CPU, RSS and its rise. */
export function processCells({
  cpu_percent,
  rss_bytes,
  rise_bytes,
}: Pick<ListedMoment, 'cpu_percent' | 'rss_bytes' | 'rise_bytes'>): string[] {
  const sign = (rise_bytes ?? 0) < 0 ? '−' : '+';
  return [
    cpu_percent === null ? '?' : `${cpu_percent.toFixed(1)} %`,
    rss_bytes === null ? '?' : bytesText(rss_bytes),
    rise_bytes === null ? '?' : `${rise_bytes === 0 ? '' : sign}${bytesText(Math.abs(rise_bytes))}`,
  ];
}
