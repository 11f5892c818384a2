// A moment as Markdown, to paste into an issue. Pure.
import { escapeMarkdown, markdownTable, type NoteRecord, noteBody, noteTitle } from '@svc/trace';
import type { TimeRange } from '../../draw/time-axis.ts';
import { formatClock, formatCount, formatMs, formatValue } from '../../format/numbers.ts';
import { noteTimeText } from '../../notes/note-range.ts';
import type { MomentView } from './derive-moment.ts';
import type { NearFrame, NearFrames } from './moment-frames.ts';

/** The most rows of a table. */
const MOST_ROWS = 10;

type About = {
  /** The name of the trace. */
  readonly name: string;
  readonly range: TimeRange;
  /** The fragment that leads to the moment in the viewer. */
  readonly fragment: string;
  /** The notes of the moment. */
  readonly notes: readonly NoteRecord[];
};

/** Paragraphs and tables, each only if it has something to say. Names of the trace are escaped. */
export function momentMarkdown(
  moment: MomentView,
  { name, range, fragment, notes }: About,
): string {
  const { near, bounds } = moment;
  const what = near?.frame.over_budget ? 'Hitch' : near === null ? 'Moment' : 'Frame';
  const blocks = [
    [
      `### ${what} of ${formatMs(range.to - range.from)} at ${formatClock(range.from)} in ${escapeMarkdown(name)}`,
    ],
    noteLines(notes),
    bounds?.kind === 'hitch' ? [escapeMarkdown(boundText(bounds)).trim()] : [],
    near === null ? [] : framesTable(near),
    functionsTable(moment),
    assetsTable(moment),
    spansTable(moment),
    [
      `To see it, open ${escapeMarkdown(name)} in the viewer and add \`${fragment}\` to its address.`,
    ],
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function noteLines(notes: readonly NoteRecord[]): string[] {
  const more = notes.length - MOST_ROWS;
  return [
    ...notes.slice(0, MOST_ROWS).map(noteLine),
    ...(more > 0 ? [`- and ${formatCount(more)} more notes`] : []),
  ];
}

function noteLine(note: NoteRecord): string {
  const text = [noteTitle(note), noteBody(note)].filter((part) => part !== '').join(': ');
  return `- Note, ${noteTimeText(note)}: ${escapeMarkdown(text.replaceAll(/\s+/g, ' '))}`;
}

function boundText({
  causes,
  text,
}: Extract<NonNullable<MomentView['bounds']>, { kind: 'hitch' }>): string {
  const clauses = causes.map((parts) => parts.join('')).join(', ');
  const title = causes.length === 1 ? 'Cause' : 'Causes';
  return clauses === '' ? text : `${title}: ${clauses}. ${text}`;
}

function framesTable({ before, frame, after }: NearFrames): string[] {
  const row = (title: string, one: NearFrame | null): string[][] =>
    one === null
      ? []
      : [
          [
            title,
            formatClock(one.range.from),
            formatMs(one.duration_ms),
            formatMs(one.main_ms),
            formatMs(one.gpu_ms),
            formatCount(one.draws),
          ],
        ];
  return markdownTable(
    [
      { title: 'Frame' },
      { title: 'Start' },
      ...['Duration', 'Main thread', 'GPU', 'Draw calls'].map((title) => ({
        title,
        align: 'right' as const,
      })),
    ],
    [...row('before', before), ...row('this one', frame), ...row('after', after)],
  );
}

function functionsTable({ stacks }: MomentView): string[] {
  const rows = stacks.flatMap(({ unit, functions }) =>
    functions.map(({ name, self, total }) => [
      name,
      formatValue(self, unit),
      formatValue(total, unit),
    ]),
  );
  return tableOf(['Function', 'Itself', 'With what it called'], rows);
}

function assetsTable({ assets }: MomentView): string[] {
  const rows = assets.map(({ item, within_ms }) => [item.name, item.phase, formatMs(within_ms)]);
  return tableOf(['Asset', 'Phase', 'In this time'], rows);
}

function spansTable({ longtasks, spans }: MomentView): string[] {
  const rows = [
    ...longtasks.map(({ item, within_ms }) => [
      'long task',
      item.scripts?.[0]?.name ?? '',
      formatMs(within_ms),
    ]),
    ...spans.map(({ item, within_ms }) => [item.track ?? 'span', item.name, formatMs(within_ms)]),
  ];
  return tableOf(['Work', 'Name', 'In this time'], rows);
}

/** A table whose last columns are numbers. Empty without rows. */
function tableOf(titles: readonly string[], rows: readonly string[][]): string[] {
  if (rows.length === 0) return [];
  const columns = titles.map((title, index) =>
    index === titles.length - 1 ? { title, align: 'right' as const } : { title },
  );
  const more = rows.length - MOST_ROWS;
  return [
    ...markdownTable(columns, rows.slice(0, MOST_ROWS)),
    ...(more > 0 ? ['', `and ${formatCount(more)} more`] : []),
  ];
}
