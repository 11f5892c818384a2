// Runs all or some tests of a file, with or without a mutant, and kills all processes that remain.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../scripts/workspaces.ts';
import { killGroup, killHolders } from './end-processes.ts';
import type { Orders } from './hook.ts';
import { HOOK_OPTION } from './hook-option.ts';
import type { Line } from './reporter.ts';

export type TestRun = {
  readonly outcome: 'passed' | 'failed' | 'timeout';
  readonly ms: number;
  /** The top-level tests that ended, in order. */
  readonly tests: readonly Line[];
  /** The name of the failed test; null if no test failed, or the process failed outside of a test. */
  readonly failed: string | null;
  /** The last part of the process's stderr. */
  readonly errors: string;
};

export type TestOrder = {
  /** Absolute path of the folder with sources and tests. */
  readonly root: string;
  /** Path relative to the root. */
  readonly testFile: string;
  /** Names of top-level tests; null for all. */
  readonly names: readonly string[] | null;
  readonly orders: Orders;
  readonly limitMs: number;
};

const REPORTER = pathToFileURL(join(import.meta.dirname, 'reporter.ts')).href;
const END_FILE = join(ROOT, 'scripts/end-test-file.ts');
const CLOSE_MS = 10_000;
const KEPT_ERRORS = 4_000;

/** The folder for the files of all runs of this process. */
let runsFolder: string | null = null;

/** Creates the folder, and starts the guardian, which removes the folder and all processes that use it after this process has ended. */
function startRuns(): string {
  const folder = makePassable(join(tmpdir(), 'svc-mutate-'));
  const guardian = spawn(process.execPath, [join(import.meta.dirname, 'guardian.ts'), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guardian.unref();
  guardian.stdin.on('error', () => {});
  (guardian.stdin as Socket).unref();
  return folder;
}

/** Creates a folder for a run. It is removed when this process ends. */
export function makeFolder(prefix: string): string {
  runsFolder ??= startRuns();
  return makePassable(join(runsFolder, prefix));
}

/** Creates a folder that other users can enter but not list, because a test can start a program as another user. */
function makePassable(prefix: string): string {
  const folder = mkdtempSync(prefix);
  chmodSync(folder, 0o711);
  return folder;
}

/** Runs the tests until one fails, all have passed, or the timeout ends. Leaves no process and no file. */
export async function runTests(order: TestOrder): Promise<TestRun> {
  const { root, testFile, names, orders, limitMs } = order;
  const folder = makeFolder('run-');
  const ordersFile = join(folder, 'orders.json');
  writeFileSync(ordersFile, JSON.stringify(orders));
  const started = performance.now();
  const child = spawn(process.execPath, argumentsFor(join(root, testFile), names), {
    cwd: root,
    env: environment(folder, ordersFile),
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, which is killed as a whole.
    detached: true,
  });
  let [output, errors, late] = ['', '', false];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors = (errors + text).slice(-KEPT_ERRORS);
  });
  const timer = setTimeout(() => {
    late = true;
    killGroup(child.pid ?? 0);
  }, limitMs);
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null));
    // Not 'close', because a program that the tests left can keep the pipes open.
    child.on('exit', (status) => resolve(status));
  });
  clearTimeout(timer);
  const ms = Math.round(performance.now() - started);
  await new Promise((resolve) => setImmediate(resolve));
  const tests = linesOf(output);
  killGroup(child.pid ?? 0);
  killHolders(ordersFile);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  child.stdout.destroy();
  child.stderr.destroy();
  const failed = tests.find((line) => !line.passed)?.name ?? null;
  const outcome = failed !== null ? 'failed' : late ? 'timeout' : code === 0 ? 'passed' : 'failed';
  return { outcome, ms, tests, failed, errors };
}

function argumentsFor(testFile: string, names: readonly string[] | null): string[] {
  const quote = (name: string): string => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return [
    '--disable-warning=ExperimentalWarning',
    ...['--import', END_FILE],
    ...[`--test-reporter=${REPORTER}`, '--test-reporter-destination=stdout'],
    ...(names ?? []).map((name) => `--test-name-pattern=/^${quote(name)}$/`),
    testFile,
  ];
}

function environment(folder: string, ordersFile: string): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: options = '', ...env } = process.env;
  return {
    ...env,
    NODE_OPTIONS: `${options} ${HOOK_OPTION}`.trim(),
    SVC_MUTATION: ordersFile,
    SVC_TEST_CLOSE_MS: String(CLOSE_MS),
    TMPDIR: folder,
  };
}

function linesOf(output: string): Line[] {
  return output
    .split('\n')
    .flatMap((line) => (/^.*SVC-TEST (\{.*\})$/.exec(line)?.[1] ?? '').split('\n'))
    .filter((json) => json !== '')
    .map((json) => JSON.parse(json) as Line);
}
