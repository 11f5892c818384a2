// Runs one test file, whole or some of its tests, with a mutant or without, in processes that can all be ended.
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
  /** The tests at the file's top level that ended, in their order. */
  readonly tests: readonly Line[];
  /** The name of the test that failed; null where none did, or where the process itself failed. */
  readonly failed: string | null;
  /** The end of what the process wrote to stderr. */
  readonly errors: string;
};

export type TestOrder = {
  /** Absolute path of the folder that holds sources and tests. */
  readonly root: string;
  /** Path below the root. */
  readonly testFile: string;
  /** Names of tests at the file's top level; null for all. */
  readonly names: readonly string[] | null;
  readonly orders: Orders;
  readonly limitMs: number;
};

const REPORTER = pathToFileURL(join(import.meta.dirname, 'reporter.ts')).href;
const END_FILE = join(ROOT, 'scripts/end-test-file.ts');
const CLOSE_MS = 10_000;
const KEPT_ERRORS = 4_000;

/** Where all runs of this process have their files. */
let runsFolder: string | null = null;

/** Makes the folder, and starts the guardian that removes it, and every process that knows of it, once this one has ended. */
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

/** Makes a folder for a run, which does not outlive this process. */
export function makeFolder(prefix: string): string {
  runsFolder ??= startRuns();
  return makePassable(join(runsFolder, prefix));
}

/** Makes a folder that others cannot list, but pass: a test may start a program as another user. */
function makePassable(prefix: string): string {
  const folder = mkdtempSync(prefix);
  chmodSync(folder, 0o711);
  return folder;
}

/** Runs the tests until the first one fails, all have passed, or the time is over. Leaves no process and no file. */
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
    // A group of its own, which is ended as one.
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
    // Not 'close': a program that the tests left behind may hold the pipes.
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
