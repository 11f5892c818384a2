// `svc check --run`: starts a checked build in a browser, and holds it to the budgets in svc.json.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InputScript, StartTest } from '@svc/recorder';
import type { TraceModel } from '@svc/trace';
import type { Documents } from '../../documents.ts';
import type { Output, Paint } from '../../output/output.ts';
import { safeLine } from '../../output/text.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';
import type { PreparedBuild } from '../../project/prepare-build.ts';
import type { Budgets } from '../../project/project-file.ts';
import { servePrepared } from '../../project/serve-build.ts';
import { formatStart, startDetails, startDocument } from '../../start-test/start-document.ts';
import { requireBrowser, testGame } from '../../start-test/test-game.ts';
import {
  type BudgetCheck,
  type BudgetValues,
  formatChecks,
  judgeBudgets,
  measureTrace,
} from '../../trace/budgets.ts';
import { readModel } from '../../trace/read-model.ts';

export type RunDocument = NonNullable<Documents['check']['run']>;

/** A build to compare with, and its name for messages. */
export type Baseline = { readonly prepared: PreparedBuild; readonly name: string };

export type RunOptions = {
  /** How long each build is recorded after its first frame, in seconds. */
  readonly seconds: number;
  /** What a player does. Null without a script. */
  readonly input: InputScript | null;
  /** The program of the browser. Undefined for an installed one. */
  readonly browser: string | undefined;
  /** The path at which the trace of the build is kept. Undefined if it is removed. */
  readonly trace: string | undefined;
  readonly budgets: Budgets;
  readonly signal: AbortSignal;
};

/** A build that was started. The model is null if the game does not start. */
type Started = { readonly test: StartTest; readonly model: TraceModel | null };

/**
 * Starts the build, after the one to compare with. Throws an ExitError if the test is not possible (1, 10), or if the build to
 * compare with does not start (7). The result may have faults: see {@link passes}.
 */
export async function runBuild(
  { io, output }: { readonly io: Io; readonly output: Output },
  prepared: PreparedBuild,
  baseline: Baseline | null,
  { seconds, input, signal, trace, budgets, ...options }: RunOptions,
): Promise<RunDocument> {
  const browser = await requireBrowser(options.browser, io);
  const folder = mkdtempSync(join(tmpdir(), 'svc-check-'));
  const start = async (build: PreparedBuild, name: string, path: string): Promise<Started> => {
    await using served = await servePrepared(build, { signal });
    output.note(`Starting ${safeLine(name)} in ${browser} …`);
    const { digest } = build.build;
    const { url } = served;
    const test = await testGame({ url, digest, seconds, input, browser, trace: path, signal });
    return { test, model: test.faults.length === 0 ? await readModel(path, io) : null };
  };
  try {
    const before =
      baseline === null
        ? null
        : await start(baseline.prepared, baseline.name, join(folder, 'baseline.vpt'));
    if (before?.model === null) throw baselineFails(baseline?.name ?? '', before.test);
    const run = await start(prepared, prepared.shownPath, trace ?? join(folder, 'build.vpt'));
    const values = run.model === null ? {} : valuesOf(run, before);
    return {
      start: startDocument(browser, run.test),
      against: baseline?.name ?? null,
      budgets: judgeBudgets(budgets, values),
      unchecked: Object.keys(budgets).filter((name) => !Object.hasOwn(values, name)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The memory of the process is not measured here. Without a record of assets the game has none. */
function valuesOf({ test, model }: Started, before: Started | null): BudgetValues {
  if (model === null) return {};
  const { rss_bytes: _, asset_bytes, gpu_bytes, ...others } = measureTrace(model);
  const values = { ...others, asset_bytes: asset_bytes ?? 0, gpu_bytes: gpu_bytes ?? 0 };
  if (before === null || before.model === null) return values;
  const frame_p99_ms = measureTrace(before.model).frame_p99_ms;
  return {
    ...values,
    frame_p99_ratio: ratio(values.frame_p99_ms, frame_p99_ms),
    first_frame_ratio: ratio(test.first_frame_ms, before.test.first_frame_ms),
  };
}

function ratio(value: number | null | undefined, before: number | null | undefined): number | null {
  if (typeof value !== 'number' || typeof before !== 'number' || before <= 0) return null;
  return value / before;
}

function baselineFails(name: string, { faults }: StartTest): ExitError {
  return new ExitError(
    EXIT.invalid,
    'baseline_does_not_start',
    `Cannot compare with ${name}, because it does not start.`,
    { details: startDetails(faults), hint: 'Name a build that starts with --against.' },
  );
}

/** Whether the game starts and meets its budgets. */
export function passes({ start, budgets }: RunDocument): boolean {
  return start.faults.length === 0 && budgets.every(({ kept }) => kept);
}

/** The error for a game that does not start (9), or does not meet a budget (7). `result` is the document of the command. */
export function runFailure({ start, budgets }: RunDocument, result: object): ExitError {
  if (start.faults.length > 0) {
    return new ExitError(EXIT.does_not_start, 'game_does_not_start', 'The game does not start.', {
      ...{ details: startDetails(start.faults), result },
      hint: 'Open the build with svc play, and look at the console of the browser.',
    });
  }
  const broken = budgets.filter(({ kept }) => !kept).map(({ budget }) => budget);
  const count = broken.length === 1 ? 'a budget' : `${broken.length} budgets`;
  const message = `The build does not meet ${count}: ${broken.join(', ')}.`;
  return new ExitError(EXIT.invalid, 'budget_broken', message, { result });
}

export function formatRun(
  { start, against, budgets, unchecked }: RunDocument,
  paint: Paint,
): string[] {
  const checks: readonly BudgetCheck[] = budgets;
  return [
    '',
    ...(start.faults.length === 0 ? formatStart(start, paint) : []),
    ...(checks.length === 0 ? [] : formatChecks(checks, paint)),
    ...(against === null ? [] : [`Compared with ${safeLine(against)}.`]),
    ...unchecked.map((name) => `Not checked: ${name}${reasonOf(name)}`),
  ];
}

function reasonOf(name: string): string {
  if (name.endsWith('_ratio')) return ', which needs a build to compare with: --against.';
  return '. Check it with svc trace budget, on a trace of the process.';
}
