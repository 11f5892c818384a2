// The test runner: a test file that never ends fails, and the run continues.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Limits, Outcome } from './run-test-files.ts';
import { ROOT } from './workspaces.ts';

const HEAD = `import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
`;
const GOOD = `${HEAD}test('is good', () => {});`;
const RUNNER = `import { runTestFiles } from ${JSON.stringify(join(import.meta.dirname, 'run-test-files.ts'))};
const [files, limits] = JSON.parse(process.argv[2] ?? '');
console.log('OUTCOME ' + JSON.stringify(await runTestFiles(files, limits)));`;

/** Runs files with the given contents, and returns the runner's result and output. */
function runTexts(
  t: TestContext,
  texts: Readonly<Record<string, string>>,
  limits: Partial<Limits>,
): { outcome: Outcome; output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'svc-runner-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const files = Object.entries(texts).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return relative(ROOT, join(folder, name));
  });
  const program = join(folder, 'runner.ts');
  writeFileSync(program, RUNNER);
  const { NODE_TEST_CONTEXT: _, CI: __, ...env } = process.env;
  const all = { concurrency: 2, timeoutMs: 1_000, closeMs: 1_000, ...limits };
  const { stdout, stderr, error } = spawnSync(
    process.execPath,
    [program, JSON.stringify([files, all])],
    { env, encoding: 'utf8', timeout: 100_000 },
  );
  if (error !== undefined) throw error;
  const [, json] = /^OUTCOME (.*)$/m.exec(stdout) ?? [];
  assert.ok(json !== undefined, stdout + stderr);
  return { outcome: JSON.parse(json), output: stdout };
}

test('a test that polls forever after its timeout fails, and the run continues', (t) => {
  const { outcome, output } = runTexts(
    t,
    {
      'polls.test.ts': `${HEAD}test('polls', async () => { for (;;) await wait(20); });`,
      'good.test.ts': GOOD,
    },
    {},
  );
  assert.equal(outcome.passed, 1);
  assert.ok(outcome.failed >= 1);
  assert.match(output, /test timed out after 1000ms/);
  assert.match(
    output,
    /polls\.test\.ts is still running 1000 ms after its last test; open: .*Timeout/,
  );
});

test('a file that leaves a server open fails, although its tests pass', (t) => {
  const { outcome, output } = runTexts(
    t,
    {
      'leaks.test.ts': `${HEAD}import { createServer } from 'node:net';
test('leaks', () => void createServer().listen(0, '127.0.0.1'));`,
    },
    {},
  );
  assert.deepEqual([outcome.passed, outcome.failed], [1, 1]);
  assert.match(output, /open: .*TCPServerWrap/);
});

test('a file that blocks its process is killed with its descendants, and the run continues', {
  skip: process.platform !== 'linux' && 'finds processes by /proc',
}, (t) => {
  const { outcome, output } = runTexts(
    t,
    {
      'blocks.test.ts': `import { spawnSync } from 'node:child_process';
${HEAD}test('blocks', () => { spawnSync('sleep', ['600']); });`,
      'good.test.ts': GOOD,
    },
    { quietMs: 10_000 },
  );
  assert.equal(outcome.passed, 1);
  assert.equal(outcome.failed, 1);
  const [, pids = ''] = /killed: ([\d, ]+)/.exec(output) ?? [];
  assert.equal(pids.split(', ').length, 2, output);
  for (const pid of pids.split(', ')) assert.ok(!isAlive(pid), pid);
});

test('a good file passes, and a failing and an empty file do not', (t) => {
  const { outcome } = runTexts(
    t,
    {
      'good.test.ts': GOOD,
      'bad.test.ts': `${HEAD}test('is bad', () => { throw new Error('bad'); });`,
      'none.test.ts': 'export {};',
      'skipped.test.ts': `${HEAD}test('is skipped', { skip: 'kernel: too old' }, () => {});`,
    },
    { timeoutMs: 30_000 },
  );
  assert.deepEqual([outcome.passed, outcome.failed, outcome.skipped], [1, 1, 1]);
  assert.equal(outcome.faults.length, 1);
  assert.match(outcome.faults[0] ?? '', /none\.test\.ts contains no test$/);
});

/** Whether a process is running. A zombie process is not. */
function isAlive(pid: string): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test('the time of the tests of each file is counted', (t) => {
  const waits = `test('waits', () => wait(60));`;
  const { outcome } = runTexts(
    t,
    { 'good.test.ts': GOOD, 'waits.test.ts': `${HEAD}${waits}\n${waits}` },
    {},
  );
  const timesOf = (name: string) =>
    Object.entries(outcome.times).flatMap(([file, ms]) => (file.endsWith(name) ? [ms] : []));
  const [good] = timesOf('/good.test.ts');
  const [waited] = timesOf('/waits.test.ts');
  assert.ok(good !== undefined && waited !== undefined && waited >= 118, `${good} ${waited}`);
});
