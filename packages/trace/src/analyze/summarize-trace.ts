// The summary that a user can send to a model provider: plain text of limited size, the same bytes for the same trace.

import { utf8Length } from '../bytes/utf8.ts';
import { bytesText } from '../derive/facts/number-text.ts';
import { FRAME_FORMULAS } from '../derive/frames/frame-stats.ts';
import { findHitches, momentOf } from '../derive/frames/moment.ts';
import type { TraceModel } from '../model/trace-model.ts';
import { formatDecimal } from '../stacks/exact-column.ts';
import { heaviest, sumFrames, treeTotal } from '../stacks/frame-sums.ts';
import { pathOf, type StackTree } from '../stacks/stack-tree.ts';
import { findingsOf } from './analyze-trace.ts';
import { type AnalysisContext, analysisContext, SLOW_FACTOR } from './findings/context.ts';
import { milliseconds, percent, rounded } from './findings/finding.ts';
import { privateModel } from './private-model.ts';

/** Largest summary, in bytes of UTF-8. */
export const SUMMARY_BYTES = 24_000;
/** Reserved for the line about omitted records. */
const TAIL_BYTES = 600;
const MOST_HITCHES = 12;
const MOST_ASSETS = 40;
const MOST_FUNCTIONS = 25;
const MOST_STACKS = 12;
const SERIES_POINTS = 40;
const STACK_FRAMES = 24;

/** `left_out` counts the records of each part that did not fit. */
export type TraceSummaryText = {
  readonly text: string;
  readonly bytes: number;
  readonly left_out: readonly { readonly part: string; readonly count: number }[];
};

type Part = { readonly name: string; readonly lines: readonly string[] };

/**
 * The most important parts come first. The text contains no absolute paths, host and user names, environment, command lines and
 * URL queries, because it is built from the private model only.
 */
export function summarizeTrace(
  model: TraceModel,
  options: { readonly budget_ms?: number } = {},
): TraceSummaryText {
  const safe = privateModel(model);
  const context = analysisContext(safe, options.budget_ms);
  return joinParts([
    overview(context),
    findingLines(context),
    frameLines(context),
    hitchLines(context),
    assetLines(context),
    ...safe.stacks.flatMap(({ tree }) => stackLines(tree)),
    processLines(safe),
    lossLines(safe),
    noteLines(safe),
  ]);
}

/** A sentence that states what a summary leaves out. */
export function describeLeftOut(left_out: TraceSummaryText['left_out']): string {
  if (left_out.length === 0) return 'The summary is complete.';
  const parts = left_out.map(({ part, count }) => `${count.toLocaleString('en-US')} of "${part}"`);
  return `Left out of the summary: ${parts.join(', ')}.`;
}

function overview({ model, duration_ms }: AnalysisContext): Part {
  const frames = model.frames.reduce((sum, one) => sum + one.start_ms.length, 0);
  return {
    name: 'recording',
    lines: [
      `sources: ${model.header.sources.join(', ')}; duration: ${milliseconds(duration_ms)}; ended cleanly: ${model.end === null ? 'no' : 'yes'}`,
      `frames: ${frames}; asset records: ${model.assets.length}; long tasks: ${model.longtasks.length}; stack samples: ${model.stacks.reduce((sum, one) => sum + one.tree.samples, 0)}`,
    ],
  };
}

function findingLines(context: AnalysisContext): Part {
  const findings = findingsOf(context);
  return {
    name: 'findings of the offline rules, worst first',
    lines: findings.map(({ severity, title, detail, evidence }) => {
      const facts = evidence.map(({ label, value, unit, t, duration_ms }) =>
        [
          label,
          value === undefined ? '' : `= ${value} ${unit ?? ''}`.trimEnd(),
          t === undefined ? '' : `at ${rounded(t)} ms`,
          duration_ms === undefined ? '' : `for ${rounded(duration_ms)} ms`,
        ]
          .filter((part) => part !== '')
          .join(' '),
      );
      return `[${severity}] ${title}. ${detail} Evidence: ${facts.join('; ')}`;
    }),
  };
}

function frameLines({ stats, frames }: AnalysisContext): Part {
  if (stats === null || frames === null || stats.mean_ms === null)
    return { name: 'frames', lines: [] };
  const ms = (value: number | null): string => `${rounded(value ?? 0)} ms`;
  return {
    name: 'frames',
    lines: [
      `${stats.count} frames counted, ${stats.left_out} left out under losses; budget ${ms(stats.budget_ms)}, more than 5 % over it: ${stats.over_budget} frames by ${ms(stats.over_budget_ms)} in all`,
      `mean ${ms(stats.mean_ms)}, p50 ${ms(stats.p50_ms)}, p90 ${ms(stats.p90_ms)}, p95 ${ms(stats.p95_ms)}, p99 ${ms(stats.p99_ms)}, p99.9 ${ms(stats.p99_9_ms)}, max ${ms(stats.max_ms)}`,
      `average ${rounded(stats.average_fps ?? 0)} fps (${FRAME_FORMULAS.average_fps}); 1% low ${rounded(stats.low_1_percent_fps ?? 0)} fps (${FRAME_FORMULAS.low_1_percent_fps})`,
    ],
  };
}

function hitchLines({ model, budget_ms }: AnalysisContext): Part {
  const slowest = findHitches(model, budget_ms, MOST_HITCHES).filter(
    ({ duration_ms }) => duration_ms > budget_ms * SLOW_FACTOR,
  );
  return {
    name: 'slowest frames and what fell into them',
    lines: slowest.map((hitch) => {
      const window = { from_ms: hitch.start_ms, to_ms: hitch.start_ms + hitch.duration_ms };
      const moment = momentOf(model, window);
      const within = [
        ...moment.assets
          .slice(0, 4)
          .map(({ item, within_ms }) => `${item.phase} of ${item.name} ${rounded(within_ms)} ms`),
        ...moment.longtasks
          .slice(0, 2)
          .map(({ within_ms }) => `long task ${rounded(within_ms)} ms`),
        ...moment.spans
          .slice(0, 3)
          .map(({ item, within_ms }) => `span ${item.name} ${rounded(within_ms)} ms`),
        ...moment.marks.slice(0, 3).map((mark) => `mark ${mark.name}`),
      ];
      const contents = within.length === 0 ? 'nothing recorded in it' : within.join(', ');
      return `at ${rounded(hitch.start_ms)} ms: ${rounded(hitch.duration_ms)} ms (${hitch.source}): ${contents}`;
    }),
  };
}

function assetLines({ report }: AnalysisContext): Part {
  const size = (bytes: number | null): string => (bytes === null ? 'unknown' : bytesText(bytes));
  const time = (ms: number | null): string => (ms === null ? 'unknown' : `${rounded(ms)} ms`);
  return {
    name: 'assets by cost, hardest first (cost in frame budgets)',
    lines: report.assets
      .slice(0, MOST_ASSETS)
      .map(
        (asset) =>
          `${asset.name} (${asset.kind}, ${asset.source}): cost ${rounded(asset.cost)}, share ${percent(asset.share)}, delayed frames by ${time(asset.hitch_ms)} in ${asset.hitches}, main thread ${time(asset.main_thread_ms)}, load ${time(asset.load_ms)}, decode ${time(asset.decode_ms)}, upload ${time(asset.upload_ms)}, memory ${size(asset.bytes)}, GPU ${size(asset.gpu_bytes)}`,
      ),
  };
}

function stackLines(tree: StackTree): Part[] {
  const { self, total } = sumFrames(tree);
  const all = Number(treeTotal(tree));
  if (all <= 0) return [];
  const share = (value: number | undefined): string => percent((value ?? 0) / all);
  const ids = heaviest(self.values, MOST_FUNCTIONS);
  const nodes = heaviest(tree.self.values, MOST_STACKS);
  return [
    {
      name: `functions by own weight (${formatDecimal(treeTotal(tree), tree.decimals)} ${tree.unit} in all)`,
      lines: ids.map((id) => {
        const category = tree.frames.category(id);
        return `${tree.frames.name(id)}${category === '' ? '' : ` [${category}]`}: self ${share(self.values[id])}, total ${share(total.values[id])}`;
      }),
    },
    {
      name: 'heaviest stacks, outermost first',
      lines: nodes.map((node) => `${share(tree.self.values[node])}: ${stackText(tree, node)}`),
    },
  ];
}

/** The innermost STACK_FRAMES frames of a stack. Only their names are decoded. */
function stackText(tree: StackTree, node: number): string {
  const path = pathOf(tree, node);
  const cut = Math.max(0, path.length - STACK_FRAMES);
  const names = path.slice(cut).map((frame) => tree.frames.name(frame));
  return [...(cut === 0 ? [] : [`(${cut} more)`]), ...names].join(' > ');
}

function processLines(model: TraceModel): Part {
  const lines = model.process.flatMap(({ t, rss_bytes, pss_bytes, cpu_percent }) => [
    ...seriesLine('RSS in MiB', t, rss_bytes, 1_048_576),
    ...seriesLine('PSS in MiB', t, pss_bytes, 1_048_576),
    ...seriesLine('CPU in % of one core', t, cpu_percent, 1),
  ]);
  const counters = model.counters.flatMap(({ name, unit, t, value }) =>
    seriesLine(
      `${name} in ${unit === 'bytes' ? 'MiB' : unit}`,
      t,
      value,
      unit === 'bytes' ? 1_048_576 : 1,
    ),
  );
  return { name: 'values over time, as seconds:value', lines: [...lines, ...counters] };
}

function seriesLine(label: string, t: Float64Array, values: Float64Array, unit: number): string[] {
  const known = Array.from(t.keys()).filter((i) => !Number.isNaN(values[i] ?? Number.NaN));
  if (known.length === 0) return [];
  const step = Math.ceil(known.length / SERIES_POINTS);
  const points = known
    .filter((_, i) => i % step === 0)
    .map(
      (i) =>
        `${Math.round((t[i] ?? 0) / 100) / 10}:${Math.round(((values[i] ?? 0) / unit) * 10) / 10}`,
    );
  return [`${label}: ${points.join(' ')}`];
}

function lossLines(model: TraceModel): Part {
  return {
    name: 'losses',
    lines: model.losses.map(
      (loss) =>
        `at ${rounded(loss.t)} ms: ${loss.reason}${loss.duration_ms === undefined ? '' : ` for ${rounded(loss.duration_ms)} ms`}`,
    ),
  };
}

function noteLines(model: TraceModel): Part {
  return {
    name: 'marks and spans',
    lines: [
      ...model.marks.map((mark) => ({ t: mark.t, text: `mark ${mark.name}` })),
      ...model.spans.map((span) => ({
        t: span.t,
        text: `span ${span.name} ${rounded(span.duration_ms)} ms`,
      })),
    ]
      .sort((a, b) => a.t - b.t)
      .map(({ t, text }) => `at ${rounded(t)} ms: ${text}`),
  };
}

/** Joins the parts. The first record of a part that does not fit ends the part. Records of later parts may still fit. */
function joinParts(parts: readonly Part[]): TraceSummaryText {
  let text = '';
  let bytes = 0;
  const left_out: { part: string; count: number }[] = [];
  for (const { name, lines } of parts) {
    let taken = 0;
    for (const line of lines) {
      const record = `${taken === 0 ? `${text === '' ? '' : '\n'}## ${name}\n` : ''}- ${line}\n`;
      const length = utf8Length(record);
      if (bytes + length > SUMMARY_BYTES - TAIL_BYTES) break;
      text += record;
      bytes += length;
      taken++;
    }
    if (taken < lines.length) left_out.push({ part: name, count: lines.length - taken });
  }
  const omitted = left_out
    .slice(0, 6)
    .map(({ part, count }) => `${count} of "${part.slice(0, 60).toWellFormed()}"`);
  const tail = omitted.length === 0 ? '' : `\nLeft out: ${omitted.join(', ')}\n`;
  return { text: text + tail, bytes: bytes + utf8Length(tail), left_out };
}
