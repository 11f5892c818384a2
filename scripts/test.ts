// `npm test` and `npm run test:long`: makes the machine ready, then runs the tests and says plainly what did not run.
//
//   node scripts/test.ts [--long] [--minutes N --seed TEXT] [PATH-PART …]
//
// Files: *.test.ts run side by side, *.serial.test.ts one after another (timing-sensitive), *.long.test.ts only with --long.
// --minutes stops the long lane in time, in an order drawn from --seed: what was cut off is named and is no failure.
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { buildBrowserCode } from './build-browser.ts';
import { provision } from './provision.ts';
import { ROOT } from './workspaces.ts';

const TEST_TIMEOUT_MS = 120_000;
const LONG_TEST_TIMEOUT_MS = 30 * 60_000;
const CONCURRENCY = 3;

/** What a group of files came to. `faults` are reasons to fail that are not failed tests. */
type Outcome = { passed: number; failed: number; skipped: number; cut: string[]; faults: string[] };

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      long: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      seed: { type: 'string', default: '' },
    },
  });
  provision();
  buildBrowserCode();
  const files = findTestFiles(positionals);
  const outcomes = values.long
    ? await runLongLane(files.long, values.seed, Number(values.minutes ?? Number.POSITIVE_INFINITY))
    : [await runGroup(files.parallel, CONCURRENCY), await runGroup(files.serial, 1)];
  report(outcomes);
}

function findTestFiles(parts: readonly string[]) {
  const all = globSync(
    [
      'packages/*/{src,test}/**/*.test.ts',
      '{scripts,e2e,bench}/**/*.test.ts',
      'examples/*/**/*.test.ts',
    ],
    { cwd: ROOT, exclude: (path) => path.includes('node_modules') },
  )
    .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
    .sort();
  const long = all.filter((path) => path.endsWith('.long.test.ts'));
  const short = all.filter((path) => !path.endsWith('.long.test.ts'));
  return {
    long,
    serial: short.filter((path) => path.endsWith('.serial.test.ts')),
    parallel: short.filter((path) => !path.endsWith('.serial.test.ts')),
  };
}

async function runLongLane(
  files: readonly string[],
  seed: string,
  minutes: number,
): Promise<Outcome[]> {
  const deadline = Date.now() + minutes * 60_000;
  const outcomes: Outcome[] = [];
  for (const file of shuffledBy(seed, files)) {
    const left = deadline - Date.now();
    outcomes.push(
      left > 0
        ? await runGroup([file], 1, { left, timeout: LONG_TEST_TIMEOUT_MS })
        : { passed: 0, failed: 0, skipped: 0, cut: [file], faults: [] },
    );
  }
  return outcomes;
}

function shuffledBy(seed: string, files: readonly string[]): string[] {
  const rank = (file: string): string =>
    createHash('sha256').update(`${seed}\0${file}`).digest('hex');
  return seed === '' ? [...files] : files.toSorted((a, b) => rank(a).localeCompare(rank(b)));
}

async function runGroup(
  files: readonly string[],
  concurrency: number,
  limits: { left: number; timeout: number } = {
    left: Number.POSITIVE_INFINITY,
    timeout: TEST_TIMEOUT_MS,
  },
): Promise<Outcome> {
  const outcome: Outcome = { passed: 0, failed: 0, skipped: 0, cut: [], faults: [] };
  if (files.length === 0) return outcome;
  const cut = new AbortController();
  const timer = Number.isFinite(limits.left) ? setTimeout(() => cut.abort(), limits.left) : null;
  const stream = run({
    files: files.map((file) => join(ROOT, file)),
    cwd: ROOT,
    concurrency: Math.min(concurrency, Math.max(2, cpus().length + 1)),
    timeout: limits.timeout,
    signal: cut.signal,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  stream.on('test:pass', (event) => {
    const place =
      event.file === undefined ? event.name : `${relative(ROOT, event.file)}: ${event.name}`;
    if (event.details.type === 'suite') return;
    if (event.file !== undefined && join(ROOT, relative(ROOT, event.name)) === event.file) {
      outcome.faults.push(`${relative(ROOT, event.file)} holds no test`);
    } else if (event.skip !== undefined || event.todo !== undefined) {
      outcome.skipped++;
      const reason = String(event.skip ?? event.todo);
      if (process.env['CI'] === 'true' && !reason.startsWith('kernel: ')) {
        outcome.faults.push(`skipped where nothing may be: ${place} (${reason})`);
      }
    } else outcome.passed++;
  });
  stream.on('test:fail', (event) => {
    if (cut.signal.aborted) outcome.cut = [...files];
    else if (event.details.type !== 'suite') outcome.failed++;
    else if (event.details.error.message !== '' && outcome.failed === 0) outcome.failed++;
  });
  for await (const chunk of stream.compose(new spec())) process.stdout.write(chunk);
  if (timer !== null) clearTimeout(timer);
  return outcome;
}

function report(outcomes: readonly Outcome[]): void {
  const sum = (key: 'passed' | 'failed' | 'skipped'): number =>
    outcomes.reduce((total, outcome) => total + outcome[key], 0);
  const faults = outcomes.flatMap((outcome) => outcome.faults);
  const cut = outcomes.flatMap((outcome) => outcome.cut);
  if (sum('passed') + sum('failed') === 0 && cut.length === 0) faults.push('no test ran');
  for (const file of cut) console.log(`not finished in time: ${file}`);
  for (const fault of faults) console.log(`FAULT ${fault}`);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
  process.exitCode = sum('failed') > 0 || faults.length > 0 ? 1 : 0;
}

await main();
