// `npm test` and `npm run test:long`: installs requirements, runs the tests, and reports what was not run.
//
//   node scripts/test.ts [--long] [--minutes N --seed TEXT] [PATH-PART …]
//
// *.test.ts files run concurrently, *.serial.test.ts one after another (they measure time), *.long.test.ts only with --long.
// --minutes limits the time of the long lane, and --seed sets its order. Files that are cut off are listed and are no failure.
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildBrowserCode } from './build-browser.ts';
import { provision } from './provision.ts';
import { type Outcome, runTestFiles } from './run-test-files.ts';
import { ROOT } from './workspaces.ts';

/** A test takes seconds on an idle machine. A busy machine can be thirty times slower. */
const TEST_TIMEOUT_MS = 240_000;
const LONG_TEST_TIMEOUT_MS = 30 * 60_000;
const CONCURRENCY = 3;
/** The slowest files are listed, so that the tests stay fast. */
const SLOWEST_LISTED = 10;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      long: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      seed: { type: 'string', default: '' },
    },
  });
  provision({ long: values.long });
  buildBrowserCode();
  const files = findTestFiles(positionals);
  // The seed of tests that check a random sample.
  process.env['SVC_TEST_SEED'] = values.seed;
  const outcomes = values.long
    ? await runLongLane(files.long, values.seed, Number(values.minutes ?? Number.POSITIVE_INFINITY))
    : [
        await runTestFiles(files.parallel, {
          concurrency: CONCURRENCY,
          timeoutMs: TEST_TIMEOUT_MS,
        }),
        await runTestFiles(files.serial, { concurrency: 1, timeoutMs: TEST_TIMEOUT_MS }),
      ];
  report(outcomes);
}

function findTestFiles(parts: readonly string[]) {
  const all = globSync(
    [
      'packages/*/{src,test}/**/*.test.ts',
      '{scripts,compatibility,release,e2e,bench,mutation,site,writers}/**/*.test.ts',
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
        ? await runTestFiles([file], {
            concurrency: 1,
            timeoutMs: LONG_TEST_TIMEOUT_MS,
            leftMs: left,
          })
        : { passed: 0, failed: 0, skipped: 0, cut: [file], faults: [], times: {} },
    );
  }
  return outcomes;
}

function shuffledBy(seed: string, files: readonly string[]): string[] {
  const rank = (file: string): string =>
    createHash('sha256').update(`${seed}\0${file}`).digest('hex');
  return seed === '' ? [...files] : files.toSorted((a, b) => rank(a).localeCompare(rank(b)));
}

function report(outcomes: readonly Outcome[]): void {
  const sum = (key: 'passed' | 'failed' | 'skipped'): number =>
    outcomes.reduce((total, outcome) => total + outcome[key], 0);
  const faults = outcomes.flatMap((outcome) => outcome.faults);
  const cut = outcomes.flatMap((outcome) => outcome.cut);
  if (sum('passed') + sum('failed') === 0 && cut.length === 0) faults.push('no test ran');
  const times = outcomes.flatMap((outcome) => Object.entries(outcome.times));
  for (const [file, ms] of times.sort((a, b) => b[1] - a[1]).slice(0, SLOWEST_LISTED)) {
    console.log(`${(ms / 1000).toFixed(0).padStart(5)} s ${file}`);
  }
  for (const file of cut) console.log(`not finished in time: ${file}`);
  for (const fault of faults) console.log(`FAULT ${fault}`);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
  process.exitCode = sum('failed') > 0 || faults.length > 0 ? 1 : 0;
}

await main();
