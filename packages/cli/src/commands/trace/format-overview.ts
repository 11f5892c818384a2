// Formats the overview of a trace: the answer first, then the evidence in short.
import {
  budgetText,
  bytesText,
  countText,
  msText,
  nameText,
  percentText,
  pluralText,
} from '@svc/trace';
import type { Block } from '../../output/blocks.ts';
import type { Column } from '../../output/table.ts';
import { formatCount, formatDuration } from '../../output/text.ts';
import { formatWeight } from '../../trace/format-weights.ts';
import type { OverviewDocument } from './describe-overview.ts';
import { momentTable } from './format-moment-list.ts';
import { notesBlocks } from './format-notes.ts';

const right = (title: string): Column => ({ title, align: 'right' });
const wide = (title: string): Column => ({ title, max: 1000 });

/** The most groups of hitches that are listed. */
const MOST_GROUPS = 5;

/** `page` is the page that was written. */
export function formatOverview(overview: OverviewDocument, page: object | null): Block[] {
  const { headline, detail } = overview.verdict;
  return [
    { kind: 'text', lines: [headline], tone: 'bold' },
    ...(detail === '' ? [] : [{ kind: 'text', lines: [detail] } as const]),
    ...causesOf(overview),
    {
      ...momentTable(overview.moments_of === 'hitches', overview.moments),
      title: 'Worst moments',
    },
    ...notesBlocks(overview.notes, overview.notes_left_out),
    ...pacingOf(overview),
    {
      kind: 'list',
      title: 'Memory',
      items: [
        ...(overview.leak === null ? [] : [overview.leak]),
        ...overview.memory.map(({ text }) => text),
      ],
    },
    ...assetsOf(overview),
    ...functionsOf(overview),
    {
      kind: 'list',
      title: 'What is missing',
      items: overview.missing.map(({ what, how }) => `${what} ${how}`),
    },
    { kind: 'note', lines: notesOf(overview, page !== null) },
  ];
}

function causesOf({ causes, hitches, explained }: OverviewDocument): Block[] {
  const rest = causes.slice(MOST_GROUPS);
  const others = rest.reduce((sum, group) => sum + group.hitches, 0);
  const lines = [
    ...(others === 0
      ? []
      : [
          `${pluralText(others, 'more hitch', 'more hitches')} with ${pluralText(rest.length, 'other cause')}.`,
        ]),
    ...(explained < hitches
      ? [`Only the ${formatCount(explained)} longest hitches are explained.`]
      : []),
  ];
  return [
    {
      kind: 'table',
      title: 'What caused the hitches',
      columns: [right('SHARE'), right('HITCHES'), { title: 'LONGEST' }, wide('CAUSE')],
      rows: causes.slice(0, MOST_GROUPS).map((group) => ({
        cells: [
          percentText(group.share),
          formatCount(group.hitches),
          group.longest,
          group.situation === null ? group.cause : `${group.cause} ${group.situation}`,
        ],
      })),
    },
    { kind: 'text', lines },
  ];
}

function pacingOf({ pacing, budget_ms }: OverviewDocument): Block[] {
  const fps = (value: number | null): string => (value === null ? '?' : value.toFixed(1));
  const ms = (value: number | null): string => (value === null ? '?' : `${value.toFixed(1)} ms`);
  return [
    {
      kind: 'table',
      title: 'Frame pacing',
      columns: [
        { title: 'SOURCE' },
        ...['FRAMES', 'FPS', '1 % LOW', 'P95', 'LONGEST', 'IN BUDGET'].map(right),
      ],
      rows: pacing.map((one) => ({
        cells: [
          ...[one.source, formatCount(one.frames), fps(one.average_fps)],
          ...[fps(one.low_1_percent_fps), ms(one.p95_ms), ms(one.max_ms)],
          one.frames === 0 ? '?' : percentText(one.within_budget / one.frames),
        ],
      })),
    },
    {
      kind: 'text',
      lines: pacing
        .filter(({ frames }) => frames > 0)
        .map(
          (one) =>
            `${pacing.length === 1 ? '' : `${one.source}: `}The budget is ${budgetText(budget_ms)}. ${overText(one)}`,
        ),
    },
  ];
}

function overText({ up_to_2_budgets, longer }: OverviewDocument['pacing'][number]): string {
  return up_to_2_budgets + longer === 0
    ? 'All frames keep it.'
    : `${pluralText(up_to_2_budgets, 'frame')} took up to 2 budgets, ${countText(longer)} took longer.`;
}

function assetsOf({ assets, asset_count }: OverviewDocument): Block[] {
  return [
    {
      kind: 'table',
      title: `Costliest assets, of ${formatCount(asset_count)}`,
      columns: [...['SHARE', 'HITCH', 'MAIN', 'GPU'].map(right), wide('ASSET')],
      rows: assets.map((asset) => ({
        cells: [
          percentText(asset.share),
          formatDuration(asset.hitch_ms),
          asset.main_thread_ms === null ? '?' : msText(asset.main_thread_ms),
          asset.gpu_bytes === null ? '?' : bytesText(asset.gpu_bytes),
          asset.name,
        ],
      })),
    },
  ];
}

function functionsOf({ functions }: OverviewDocument): Block[] {
  return functions.map((group) => ({
    kind: 'table',
    title:
      functions.length === 1
        ? 'Hottest functions'
        : `Hottest functions, ${group.source}, ${group.unit}`,
    columns: [right('SELF %'), right('SELF'), wide('FUNCTION')],
    rows: group.functions.map(({ name, self, share }) => ({
      cells: [percentText(share), formatWeight(self, group.unit), nameText(name)],
    })),
  }));
}

function notesOf({ moments, functions }: OverviewDocument, hasPage: boolean): string[] {
  const [first] = moments;
  return [
    ...(first === undefined
      ? []
      : [`Use svc trace moments FILE --at ${first.name} for all about one moment.`]),
    ...(functions.length === 0 ? [] : ['Use svc trace top FILE to list more functions.']),
    ...(hasPage ? [] : ['Use -o report.html for a page with every chart and the trace in it.']),
  ];
}
