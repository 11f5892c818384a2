// What `svc record` prints after the recording of a process: the answer, what it used, and whether it keeps its budgets.
import type { ProcessRecording } from '@svc/agent';
import {
  bytesText,
  type Overview,
  overviewOf,
  seriesStats,
  type TraceModel,
  verdictOf,
} from '@svc/trace';
import { busyChildText, exitText } from '../../agent/process-text.ts';
import type { ProgramEnd } from '../../agent/program-end.ts';
import type { Documents } from '../../documents.ts';
import type { Paint } from '../../output/output.ts';
import { formatCount, formatDuration, safeLine, safeText } from '../../output/text.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import type { Budgets } from '../../project/project-file.ts';
import {
  type BudgetValues,
  formatChecks,
  judgeBudgets,
  measureTrace,
} from '../../trace/budgets.ts';
import { readModel } from '../../trace/read-model.ts';
import { describeRecording } from './describe-recording.ts';
import type { RecordCall } from './record-options.ts';
import { worstText } from './report-recording.ts';

export type ProcessReport = {
  /** The path of the trace, as the user wrote it. */
  readonly path: string;
  readonly recorded: ProcessRecording;
  /** How the program that svc has started ended. Null if it was running at the end. */
  readonly exit: ProgramEnd | null;
  /** The trace to follow, as the user wrote it. Undefined: none. */
  readonly follow: string | undefined;
  /** The budgets in svc.json. */
  readonly budgets: Budgets;
};

type RecordDocument = Documents['record'];

/**
 * Prints the summary. Throws an ExitError (1) if the trace is incomplete, if the program has failed, or if a budget is
 * not met.
 */
export async function reportProcess(
  { io, output }: RecordCall,
  report: ProcessReport,
): Promise<void> {
  const { recorded, path } = report;
  const model = await readModel(recorded.trace.path, io);
  const overview = overviewOf(model);
  const document = documentOf(report, model, overview, measureTrace(model));
  for (const text of warningsOf(recorded, path)) output.warn(text);
  const failure = failureOf(report, document);
  const lines = (paint: Paint): string[] => linesOf(report, overview, document, paint);
  if (failure === null) {
    output.result(document, lines);
    return;
  }
  for (const line of lines(output.paint)) output.line(line);
  throw failure;
}

function documentOf(
  { path, recorded, exit, budgets }: ProcessReport,
  model: TraceModel,
  overview: Overview,
  values: BudgetValues,
): RecordDocument {
  const { target, probes, busyChild, trace } = recorded;
  const { cpu, hitches } = overview;
  return {
    output: path,
    ended: recorded.ended,
    duration_ms: Math.round(recorded.durationMs),
    frames: framesOf(overview),
    hitches,
    ...{ first_frame_ms: null, warnings: [] },
    ...describeRecording(model, overview.bounds),
    answer: verdictOf(overview).headline,
    ...{ symbols: null, input: null, recorded_input: null },
    process: {
      pid: target.pid,
      name: target.name,
      exit: exit === null ? null : { code: exit.code, signal: exit.signal },
      cpu_percent: cpu === null ? null : { mean: cpu.stats.mean, max: cpu.stats.max },
      rss_max_bytes: values.rss_bytes ?? null,
      pss_max_bytes: largestPss(model),
      merged_records: recorded.merged,
      probes: [...probes],
      busy_child: busyChild,
      truncated: trace.truncated,
    },
    budgets: judgeBudgets(budgets, values),
  };
}

function largestPss({ process }: TraceModel): number | null {
  const largest = process
    .flatMap(({ t, pss_bytes }) => seriesStats(t, pss_bytes)?.max ?? [])
    .toSorted((a, b) => b - a);
  return largest[0] ?? null;
}

function framesOf({ pacing }: Overview): number {
  return pacing.reduce((sum, { stats }) => sum + stats.count, 0);
}

/** What was asked for and is not in the trace, and a child that did the work instead. */
function warningsOf({ probes, target, busyChild, trace }: ProcessRecording, path: string) {
  const missing = probes.filter(
    ({ id, state }) => id !== 'pss' && (state === 'unavailable' || state === 'failed'),
  );
  return [
    ...missing.map(({ id, state, reason = 'the probe failed' }) => {
      if (id !== 'follow') return `${id} were not recorded: ${reason}.`;
      return state === 'failed' ? `${reason}.` : `Nothing was merged by --follow: ${reason}.`;
    }),
    ...(trace.truncated
      ? [
          `${path} does not have the end of the recording: the limit of --storage-cap was reached, or the disk is full.`,
        ]
      : []),
    ...(busyChild === null ? [] : [busyChildText(target.name, busyChild)]),
  ];
}

function linesOf(
  { path, recorded, exit, follow }: ProcessReport,
  overview: Overview,
  { frames, hitches, worst, process, budgets }: RecordDocument,
  paint: Paint,
): string[] {
  const { target, durationMs, ended } = recorded;
  const { headline, detail } = verdictOf(overview);
  const name = safeLine(target.name);
  const end = exit !== null ? ` ${exitText(exit)}.` : ended === 'exited' ? ' It has exited.' : '';
  const hitchText = hitches === 1 ? '1 hitch' : `${formatCount(hitches)} hitches`;
  const rss = process?.rss_max_bytes ?? null;
  const merged = process?.merged_records ?? 0;
  return [
    paint('bold', safeText(headline)),
    ...(detail === '' ? [] : [safeText(detail)]),
    ...worstText(worst),
    ...(rss === null || headline.includes('RSS ')
      ? []
      : [`Memory (RSS) was at most ${bytesText(rss)}.`]),
    `Recorded ${name}, PID ${target.pid}, for ${formatDuration(durationMs)}${frames === 0 ? '' : `: ${formatCount(frames)} frames, ${hitchText}`}.${end}`,
    ...(merged === 0
      ? []
      : [
          `Merged ${merged === 1 ? '1 record' : `${formatCount(merged)} records`} of ${safeLine(follow ?? '')}.`,
        ]),
    ...formatBudgets(budgets, paint),
    `Wrote ${safeText(path)}. Open it with: svc dashboard ${safeText(path)}`,
  ];
}

function formatBudgets(checks: RecordDocument['budgets'], paint: Paint): string[] {
  return checks.length === 0 ? [] : ['', ...formatChecks(checks, paint), ''];
}

/** Why the recording does not pass. The first reason counts, and the document has all of them. */
function failureOf(
  { path, recorded, exit }: ProcessReport,
  document: RecordDocument,
): ExitError | null {
  if (recorded.trace.path.endsWith('.partial')) {
    return new ExitError(
      EXIT.unexpected,
      'incomplete_trace',
      `The trace could not be completed. What there is of it is "${recorded.trace.path}".`,
      { result: document },
    );
  }
  if (exit !== null && exit.code !== 0) {
    return new ExitError(
      EXIT.unexpected,
      'program_failed',
      `${exitText(exit)}. The trace up to then is "${path}".`,
      { result: document },
    );
  }
  const broken = document.budgets.filter(({ kept }) => !kept).map(({ budget }) => budget);
  if (broken.length === 0) return null;
  return new ExitError(
    EXIT.unexpected,
    'budget_broken',
    `${path} does not meet ${broken.length === 1 ? 'a budget' : `${broken.length} budgets`}: ${broken.join(', ')}.`,
    { hint: 'The budgets are in svc.json.', result: document },
  );
}
