// Runs each test file in its own process and counts the results. A file that hangs is killed.
import { globSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { ROOT } from './workspaces.ts';

/**
 * The results of test files. `cut` lists files that did not finish in time. `faults` are reasons to fail other than failed
 * tests. `times` has the time of the tests of each file, in ms.
 */
export type Outcome = {
  passed: number;
  failed: number;
  skipped: number;
  cut: string[];
  faults: string[];
  times: Record<string, number>;
};

export type Limits = {
  /** The number of files that run concurrently. */
  readonly concurrency: number;
  /** Timeout of a test, in ms. */
  readonly timeoutMs: number;
  /** Time limit for all files, in ms. Files that are not finished then are reported as cut, which is not a failure. */
  readonly leftMs?: number;
  /** How long a file's process may run after its last test, in ms. */
  readonly closeMs?: number;
  /**
   * Time without an event, in ms, after which the files' processes are killed. A blocked process can't run its own
   * timeouts. Must be longer than the timeout of a test.
   */
  readonly quietMs?: number;
};

const END_FILE = join(import.meta.dirname, 'end-test-file.ts');
const MORE_QUIET_MS = 120_000;

/** Runs the files and writes their report to stdout. Paths are relative to the repository's root. */
export async function runTestFiles(files: readonly string[], limits: Limits): Promise<Outcome> {
  const outcome: Outcome = { passed: 0, failed: 0, skipped: 0, cut: [], faults: [], times: {} };
  if (files.length === 0) return outcome;
  const cut = new AbortController();
  const { leftMs = Number.POSITIVE_INFINITY, closeMs } = limits;
  const timer = Number.isFinite(leftMs) ? setTimeout(() => cut.abort(), leftMs) : null;
  const stream = run({
    files: files.map((file) => join(ROOT, file)),
    cwd: ROOT,
    concurrency: Math.min(limits.concurrency, Math.max(2, cpus().length + 1)),
    timeout: limits.timeoutMs,
    signal: cut.signal,
    execArgv: ['--disable-warning=ExperimentalWarning', '--import', END_FILE],
    ...(closeMs !== undefined && { env: { ...process.env, SVC_TEST_CLOSE_MS: String(closeMs) } }),
  });
  count(stream, outcome, () => (cut.signal.aborted ? files : []));
  const stopWatching = killWhenQuiet(stream, limits.quietMs ?? limits.timeoutMs + MORE_QUIET_MS);
  for await (const chunk of stream.compose(new spec())) process.stdout.write(chunk);
  stopWatching();
  if (timer !== null) clearTimeout(timer);
  return outcome;
}

type Stream = ReturnType<typeof run>;

function count(stream: Stream, outcome: Outcome, cutFiles: () => readonly string[]): void {
  stream.on('test:complete', ({ file, nesting, details }) => {
    if (file === undefined || nesting > 0) return;
    const path = relative(ROOT, file);
    outcome.times[path] = (outcome.times[path] ?? 0) + details.duration_ms;
  });
  stream.on('test:pass', (event) => {
    const place =
      event.file === undefined ? event.name : `${relative(ROOT, event.file)}: ${event.name}`;
    if (event.details.type === 'suite') return;
    if (event.file !== undefined && join(ROOT, relative(ROOT, event.name)) === event.file) {
      outcome.faults.push(`${relative(ROOT, event.file)} contains no test`);
    } else if (event.skip !== undefined || event.todo !== undefined) {
      outcome.skipped++;
      const reason = String(event.skip ?? event.todo);
      if (process.env['CI'] === 'true' && !reason.startsWith('kernel: ')) {
        outcome.faults.push(`skipped, which is not allowed in CI: ${place} (${reason})`);
      }
    } else outcome.passed++;
  });
  stream.on('test:fail', (event) => {
    if (cutFiles().length > 0) outcome.cut = [...cutFiles()];
    else if (event.details.type !== 'suite') outcome.failed++;
    else if (event.details.error.message !== '' && outcome.failed === 0) outcome.failed++;
  });
}

/** Kills the files' processes and their descendants after `quietMs` without an event. */
function killWhenQuiet(stream: Stream, quietMs: number): () => void {
  let heardAt = performance.now();
  const hear = (): void => {
    heardAt = performance.now();
  };
  for (const name of ['test:dequeue', 'test:complete', 'test:stdout', 'test:stderr'] as const) {
    stream.on(name, hear);
  }
  const timer = setInterval(() => {
    if (performance.now() - heardAt < quietMs) return;
    const pids = descendantsOf(process.pid);
    console.log(`No test has reported anything for ${quietMs} ms; killed: ${pids.join(', ')}`);
    for (const pid of pids) kill(pid);
    hear();
  }, 1_000);
  return () => clearInterval(timer);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
}

/** The ids of all descendants of a process. Empty on systems without /proc. */
function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const path of globSync('/proc/[0-9]*/stat')) {
    const [child, parent] = readIds(path);
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const below = (parent: number): number[] =>
    (children.get(parent) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

/** The id of a process and of its parent; zeros if it has exited. */
function readIds(path: string): [number, number] {
  try {
    const stat = readFileSync(path, 'utf8');
    // The name in parentheses can contain any characters. State and parent follow it.
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [Number.parseInt(stat, 10), Number(parent)];
  } catch {
    return [0, 0];
  }
}
