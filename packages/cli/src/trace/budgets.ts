// Whether a trace keeps the budgets in svc.json, for `svc trace budget`, `svc publish --trace` and `svc check --run`.
import { analysisContext, bytesText, type TraceModel } from '@svc/trace';
import type { Documents } from '../documents.ts';
import type { Output, Paint } from '../output/output.ts';
import { formatTable } from '../output/table.ts';
import { EXIT, type ExitCode, ExitError, usageError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import type { Budgets } from '../project/project-file.ts';
import { readModel } from './read-model.ts';

export type BudgetCheck = {
  readonly budget: string;
  readonly limit: number;
  /** Null if the trace does not contain it. */
  readonly value: number | null;
  /** False also if the value is missing. */
  readonly kept: boolean;
};

/**
 * Checks a trace against the budgets in svc.json. Throws an ExitError with `exitCode` if the trace does not meet one, or if one of
 * the two files is not valid, and a usage error if svc.json has no budgets.
 */
export async function requireBudgets(
  file: string,
  io: Io,
  output: Output,
  exitCode: ExitCode,
): Promise<BudgetCheck[]> {
  const checks = await checkBudgets(file, io).catch((error: unknown) => {
    const badInput =
      error instanceof ExitError &&
      (error.exitCode === EXIT.unexpected || error.exitCode === EXIT.invalid);
    throw badInput ? new ExitError(exitCode, error.code, error.message, error.extras) : error;
  });
  const broken = checks.filter((check) => !check.kept);
  if (broken.length === 0) return checks;
  for (const line of formatChecks(checks, output.paint)) output.line(line);
  const names = broken.map((check) => check.budget).join(', ');
  throw new ExitError(
    exitCode,
    'budget_broken',
    `${file} does not meet ${broken.length === 1 ? 'a budget' : `${broken.length} budgets`}: ${names}.`,
    { result: { kept: false, checks } satisfies Documents['trace-budget'] },
  );
}

async function checkBudgets(file: string, io: Io): Promise<BudgetCheck[]> {
  // Loaded here, because the schema of svc.json takes longer to load than the other trace commands.
  const { readProjectFile } = await import('../project/project-file.ts');
  const { budgets } = readProjectFile(io.cwd) ?? {};
  if (budgets === undefined || Object.keys(budgets).length === 0) {
    throw usageError(
      'svc.json has no budgets.',
      'Add them, for example: "budgets": {"frame_p99_ms": 16.7}',
    );
  }
  return judgeBudgets(budgets, measureTrace(await readModel(file, io)));
}

/** What can be measured in a trace, by budget. Null: it could be, but this trace does not contain it. */
export type BudgetValues = Partial<Readonly<Record<keyof Budgets, number | null>>>;

const NAMES = [
  ...(['frame_p99_ms', 'hitches', 'asset_bytes', 'gpu_bytes', 'draw_calls', 'shaders'] as const),
  ...(['rss_bytes', 'frame_p99_ratio', 'first_frame_ratio'] as const),
];

/** Compares the values with the budgets. Budgets without a value are left out. */
export function judgeBudgets(budgets: Budgets, values: BudgetValues): BudgetCheck[] {
  return NAMES.flatMap((budget) => {
    const limit = budgets[budget];
    const value = values[budget];
    return limit === undefined || value === undefined
      ? []
      : [{ budget, limit, value, kept: value !== null && value <= limit }];
  });
}

/** Measures what a trace alone has. */
export function measureTrace(model: TraceModel): BudgetValues {
  const { stats, slow, report, frames } = analysisContext(model);
  const rss = model.process.flatMap((columns) => [...columns.rss_bytes].filter(Number.isFinite));
  const draws = frames === null ? [] : [...frames.draws].filter(Number.isFinite);
  const shaders = report.assets.filter(({ kind }) => kind === 'shader').length;
  return {
    frame_p99_ms: stats?.p99_ms ?? null,
    hitches: stats === null || stats.count === 0 ? null : slow.length,
    asset_bytes: report.totals.bytes,
    gpu_bytes: report.totals.gpu_bytes,
    draw_calls: p99(draws),
    shaders: model.header.sources.includes('browser') ? shaders : null,
    rss_bytes: rss.length === 0 ? null : rss.reduce((most, value) => Math.max(most, value), 0),
  };
}

/** The smallest value that at least 99 % of the values do not exceed. Null without values. */
function p99(values: readonly number[]): number | null {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? null;
}

export function formatChecks(checks: readonly BudgetCheck[], paint: Paint): string[] {
  const rows = checks.map(({ budget, limit, value, kept }) => [
    kept ? 'ok' : 'FAILED',
    budget,
    value === null ? 'not measured' : formatValue(budget, value),
    formatValue(budget, limit),
  ]);
  const columns = [{ title: '' }, { title: 'BUDGET' }, { title: 'VALUE' }, { title: 'LIMIT' }];
  return formatTable(columns, rows).map((line) =>
    line.startsWith('FAILED') ? paint('red', line) : line,
  );
}

function formatValue(budget: string, value: number): string {
  if (budget.endsWith('_bytes')) return bytesText(value);
  if (budget.endsWith('_ratio')) return `${Math.round(value * 100) / 100} times`;
  return budget.endsWith('_ms') ? `${Math.round(value * 100) / 100} ms` : String(value);
}
