// `svc trace diff`: compares two traces in frames, memory, assets and functions, and checks limits for CI.
import {
  type AssetChange,
  assetReportOfModel,
  checkLimits,
  DEFAULT_BUDGET_MS,
  diffTraces,
  type FunctionsDiff,
  METRICS,
  type MetricChange,
  NOTABLE_COST,
  NOTABLE_SHARE,
  type TraceDiff,
  type TraceModel,
} from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import { parseCount } from '../../command-line/values.ts';
import type { Documents } from '../../documents.ts';
import { MARKDOWN_OPTION, reportWriter } from '../../output/print-blocks.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import { type NamedLimit, parseLimit } from '../../trace/change-limit.ts';
import { FRAME_MS_OPTION } from '../../trace/frame-budget.ts';
import { readModel } from '../../trace/read-model.ts';
import { TRACE_ENDINGS } from '../../trace/trace-endings.ts';
import { explainLimit, formatDiff } from './format-diff.ts';

type Report = Documents['trace-diff'];

const LISTED = 5;
const MOST_LISTED = 10_000;

const FILE_HINT = { kind: 'file', endings: TRACE_ENDINGS } as const;

export const diffCommand = defineCommand({
  name: 'diff',
  summary: 'Compare two traces, and fail if the newer one is worse by more than a limit',
  description: `svc compares frame times, hitches, CPU and memory, the costs of assets, and the share of each function of all samples. Functions are joined by name, also if only their line or the hash in the name of their file has changed. A value is better or worse if it changed by more than 1 %; a slope of memory, if the 95 % intervals of both slopes do not overlap and the memory with the larger one keeps growing.

--fail-on METRIC+AMOUNT ends the command with 7 if the metric rose by more: p95_ms+10%, max_ms+20, rss_max_bytes+20MiB. Frame rates are worse if they fall: average_fps-5%. A metric that a trace does not have fails, too. Give the option once for each limit. The metrics are ${Object.keys(METRICS).join(', ')}.

Record the same scene for the same time on the same machine with both versions.`,
  arguments: [
    { name: '<OLD>', help: 'the older trace', value: FILE_HINT },
    { name: '<NEW>', help: 'the newer trace', value: FILE_HINT },
  ],
  options: [
    {
      flags: '--fail-on <LIMIT...>',
      help: 'end with 7 if a metric is worse by more, such as p95_ms+10%',
      parse: parseLimit,
    },
    {
      flags: '--limit <N>',
      help: `number of rises and of falls of functions and assets to list (default: ${LISTED})`,
      parse: (text: string) => parseCount(text, MOST_LISTED),
    },
    FRAME_MS_OPTION,
    MARKDOWN_OPTION,
  ],
  examples: [
    ['svc trace diff old.vpt new.vpt', 'what became better and worse'],
    ['svc trace diff old.vpt new.vpt --fail-on p95_ms+10% --fail-on average_fps-5%', 'in CI'],
    ['svc trace diff old.vpt new.vpt --markdown > comment.md', 'for a pull request'],
  ],
  document: 'trace-diff',
  async run({ args: [oldFile = '', newFile = ''], options, io, output }) {
    const { failOn = [], limit = LISTED, frameMs = DEFAULT_BUDGET_MS, markdown } = options;
    const write = reportWriter(io, output, markdown);
    if (oldFile === '-' && newFile === '-') {
      throw usageError('Only one of the two traces can be read from standard input.');
    }
    const before = await readModel(oldFile, io);
    const after = await readModel(newFile, io);
    const diff = diffTraces(sideOf(before, frameMs), sideOf(after, frameMs), frameMs);
    const report: Report = {
      before: describeSide(oldFile, before),
      after: describeSide(newFile, after),
      ...describeDiff(diff, limit),
      ...judge(diff, failOn),
    };
    if (report.kept) {
      output.result(report, (paint) => write(formatDiff(report), paint));
      return;
    }
    for (const line of write(formatDiff(report), output.paint)) output.line(line);
    throw brokenError(newFile, report);
  },
});

function sideOf(model: TraceModel, budget_ms: number) {
  return { model, report: assetReportOfModel(model, budget_ms) };
}

function describeSide(path: string, model: TraceModel): Report['before'] {
  const count = model.frames.reduce((most, { start_ms }) => Math.max(most, start_ms.length), 0);
  return {
    path,
    build_digest: model.header.build?.digest ?? null,
    duration_ms: model.duration_ms,
    frames: count === 0 ? null : { count },
  };
}

function describeDiff(
  { budget_ms, builds, graphics_warning, metrics, functions, assets }: TraceDiff,
  limit: number,
): Omit<Report, 'before' | 'after' | 'kept' | 'limits'> {
  return {
    ...{ budget_ms, builds, graphics_warning },
    metrics: metrics.map(describeMetric),
    functions: functions.map((one) => describeFunctions(one, limit)),
    assets: largestChanges(assets, limit),
  };
}

function describeMetric(change: MetricChange): Report['metrics'][number] {
  const { unit, better } = METRICS[change.metric];
  return { ...change, unit, better };
}

function describeFunctions(
  { changes, ...stacks }: FunctionsDiff,
  limit: number,
): Report['functions'][number] {
  const rises = changes.filter(({ change }) => change >= NOTABLE_SHARE);
  const falls = changes.filter(({ change }) => change <= -NOTABLE_SHARE).toReversed();
  return { ...stacks, rises: rises.slice(0, limit), falls: falls.slice(0, limit) };
}

/** The rises of cost, then the falls, the largest of each first. */
function largestChanges(assets: readonly AssetChange[], limit: number): Report['assets'] {
  const rises = assets.filter(({ cost_change }) => cost_change >= NOTABLE_COST).slice(0, limit);
  const falls = assets
    .filter(({ cost_change }) => cost_change <= -NOTABLE_COST)
    .slice(-limit)
    .toReversed();
  return [...rises, ...falls].map(({ name, kind, state, cost_change, before, after }) => {
    const [was, is] = [before === null ? 0 : before.bytes, after === null ? 0 : after.bytes];
    const bytes_change = was === null || is === null ? null : is - was;
    return { name, kind, state, cost_change, bytes_change };
  });
}

function judge(diff: TraceDiff, failOn: readonly NamedLimit[]): Pick<Report, 'kept' | 'limits'> {
  const checks = checkLimits(
    failOn.map(({ limit }) => limit),
    diff.metrics_before,
    diff.metrics_after,
  );
  const limits = checks.map(({ change: { metric, before, after, change }, kept }, at) => ({
    limit: failOn[at]?.text ?? '',
    ...{ metric, before, after, change, kept },
  }));
  return { kept: limits.every(({ kept }) => kept), limits };
}

function brokenError(file: string, report: Report): ExitError {
  const broken = report.limits.filter(({ kept }) => !kept);
  const names = broken.map(({ limit }) => limit).join(', ');
  const count = broken.length === 1 ? 'a limit' : `${broken.length} limits`;
  return new ExitError(
    EXIT.invalid,
    'limit_exceeded',
    `"${file}" does not keep ${count}: ${names}.`,
    {
      details: broken.map((limit) => ({ rule: limit.limit, message: explainLimit(limit) })),
      result: report,
    },
  );
}
