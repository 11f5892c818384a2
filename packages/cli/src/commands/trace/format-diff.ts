// Formats the comparison of two traces: the answer first, then values, functions and assets.
import {
  bytesText,
  diffVerdict,
  type MetricChange,
  type MetricName,
  metricText,
  nameText,
  pluralText,
  ratioText,
  shortDigests,
} from '@svc/trace';
import type { Documents } from '../../documents.ts';
import type { Block, TableRow } from '../../output/blocks.ts';
import type { Tone } from '../../output/output.ts';
import { signed } from '../../output/signed.ts';
import type { Column } from '../../output/table.ts';
import { formatCount, formatDuration } from '../../output/text.ts';

type Report = Documents['trace-diff'];
type Metric = Report['metrics'][number];
type Limit = Report['limits'][number];
type Functions = Report['functions'][number];

/** Recordings whose durations differ by more than this factor are not comparable without care. */
const COMPARABLE = 1.2;

const right = (title: string): Column => ({ title, align: 'right' });

const TONES: Readonly<Partial<Record<Metric['verdict'], Tone>>> = { better: 'green', worse: 'red' };

export function formatDiff(report: Report): Block[] {
  const { before, after, metrics, functions, assets, limits } = report;
  if (metrics.length === 0 && functions.length === 0) {
    return [
      {
        kind: 'text',
        lines: [
          'The traces have nothing in common to compare: no frames, no samples of a process, no memory, no assets, and no functions.',
        ],
      },
      limitsTable(limits),
    ];
  }
  return [
    verdictBlock(report),
    {
      kind: 'text',
      lines: [
        `Before: ${sideText(before)}. After: ${sideText(after)}.`,
        ...buildLines(report),
        ...durationLines(before, after),
        ...(report.graphics_warning === null ? [] : [report.graphics_warning]),
      ],
    },
    metricsTable(metrics),
    ...functions.map(functionsTable),
    assetsTable(assets),
    ...(assets.length === 0
      ? []
      : [
          {
            kind: 'note' as const,
            lines: [
              'svc trace blame lists all changes of assets, with their work and their hitches.',
            ],
          },
        ]),
    limitsTable(limits),
  ];
}

const VERDICT_TONES: Readonly<Partial<Record<Metric['verdict'], Tone>>> = {
  ...{ worse: 'red', better: 'green', same: 'green' },
};

/** One sentence on the largest change, and how many values are better and worse. */
function verdictBlock({ metrics, functions }: Report): Block {
  const { headline, detail, verdict } = diffVerdict(
    metrics as readonly MetricChange[],
    functions,
    (metric) => metric,
  );
  const tone = VERDICT_TONES[verdict];
  const lines = [headline, ...(detail === '' ? [] : [detail])];
  return { kind: 'text', lines, ...(tone && { tone }) };
}

function sideText({ path, duration_ms, frames }: Report['before']): string {
  const facts = [
    ...(duration_ms === null ? [] : [formatDuration(duration_ms)]),
    ...(frames === null ? [] : [pluralText(frames.count, 'frame')]),
  ];
  return facts.length === 0 ? path : `${path} (${facts.join(', ')})`;
}

function buildLines({ builds, before, after }: Report): string[] {
  const [was, is] = [before.build_digest, after.build_digest];
  if (was === null || is === null) return [];
  const [old, now] = shortDigests(was, is);
  return builds === 'same'
    ? [`Both traces are of the same build (${old}).`]
    : [`The traces are of different builds (${old} before, ${now} after).`];
}

function durationLines({ duration_ms: was }: Report['before'], after: Report['after']): string[] {
  const is = after.duration_ms;
  if (was === null || is === null) return [];
  if (Math.max(was, is) <= Math.min(was, is) * COMPARABLE) return [];
  return ['The recordings do not last equally long. Record the same scene for the same time.'];
}

function metricsTable(metrics: readonly Metric[]): Block {
  return {
    kind: 'table',
    columns: [{ title: 'VALUE' }, right('BEFORE'), right('AFTER'), right('CHANGE'), { title: '' }],
    rows: metrics.map((metric) => rowOf(metric)),
  };
}

function rowOf({ metric: name, before, after, change, ratio, verdict }: Metric): TableRow {
  const metric = name as MetricName;
  const tone = TONES[verdict];
  const cells = [
    metric,
    metricText(metric, before),
    metricText(metric, after),
    change === null
      ? ''
      : ratio === null
        ? signed(change, (value) => metricText(metric, value))
        : signed(ratio, ratioText),
    verdict === 'unknown' ? 'not in both' : verdict,
  ];
  return tone === undefined ? { cells } : { cells, tone };
}

function functionsTable({ source, rises, falls, samples_before, samples_after }: Functions): Block {
  const share = (value: number): string => `${(value * 100).toFixed(1)} %`;
  const row = (one: Functions['rises'][number], tone: Tone): TableRow => ({
    cells: [
      share(one.self_before),
      share(one.self_after),
      signed(one.change * 100, (value) => value.toFixed(1)),
      `${nameText(one.name)}${one.state === 'kept' ? '' : ` (${one.state})`}`,
    ],
    tone,
  });
  const samples = `${formatCount(samples_before)} and ${formatCount(samples_after)} samples`;
  return {
    kind: 'table',
    title: `Functions of ${source}: the share of their own weight (${samples})`,
    columns: [right('BEFORE'), right('AFTER'), right('POINTS'), { title: 'FUNCTION', max: 1000 }],
    rows: [...rises.map((one) => row(one, 'red')), ...falls.map((one) => row(one, 'green'))],
  };
}

function assetsTable(assets: Report['assets']): Block {
  return {
    kind: 'table',
    title: 'Assets, by the change of their cost in frame budgets',
    columns: [right('COST'), right('SIZE'), { title: 'KIND' }, { title: 'ASSET', max: 1000 }],
    rows: assets.map(({ cost_change, bytes_change, kind, state, name }) => ({
      cells: [
        signed(cost_change, (value) => value.toFixed(2)),
        bytes_change === null ? '?' : signed(bytes_change, bytesText),
        kind,
        state === 'new' || state === 'gone' ? `${name} (${state})` : name,
      ],
      tone: cost_change > 0 ? 'red' : 'green',
    })),
  };
}

function limitsTable(limits: readonly Limit[]): Block {
  return {
    kind: 'table',
    title: 'Limits',
    columns: [{ title: '' }, { title: 'LIMIT' }, { title: 'CHANGE' }],
    rows: limits.map((limit) => ({
      cells: [limit.kept ? 'ok' : 'FAILED', limit.limit, explainLimit(limit)],
      ...(limit.kept ? {} : { tone: 'red' as const }),
    })),
  };
}

/** What a limit was checked against, such as `16.7 ms before, 23.1 ms after (+38.3 %)`. */
export function explainLimit({ metric, before, after, change }: Limit): string {
  const name = metric as MetricName;
  if (before === null || after === null || change === null) {
    const where =
      before !== null ? 'the newer trace' : after !== null ? 'the older trace' : 'both traces';
    return `${metric} is missing in ${where}, so its limit cannot be checked`;
  }
  const size =
    before > 0
      ? signed(change / before, ratioText)
      : signed(change, (value) => metricText(name, value));
  return `${metric} is ${metricText(name, before)} before, ${metricText(name, after)} after (${size})`;
}
