// The whole tool on a small project: noticed faults, survivors, and the lists.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../scripts/until.ts';
import { ROOT } from '../scripts/workspaces.ts';
import { Compiler } from './compiler.ts';
import type { Lists } from './lists.ts';
import { isInShare, mostByChance, percent, readLists, toListed, writeLists } from './lists.ts';
import { type FolderResult, type Options, runFolder, updateLists } from './run-folder.ts';

const FOLDER = { name: 'src', sources: ['src/**/*.ts'], tests: ['test/**/*.test.ts'] };
const NOTHING: Lists = { scores: [], equivalent: [], unnoticed: [] };

const HEAD = `import assert from 'node:assert/strict';
import { test } from 'node:test';
`;
const ALLOWED = 'export const isAllowed = (bytes: number): boolean => bytes <= 10;\n';
const STRONG = `${HEAD}import { isAllowed } from '../src/allowed.ts';
test('ten bytes are allowed', () => assert.equal(isAllowed(10), true));
test('eleven bytes are not', () => assert.equal(isAllowed(11), false));
`;
const WEAK = `${HEAD}import { isAllowed } from '../src/allowed.ts';
test('few bytes are allowed', () => assert.equal(isAllowed(1), true));
test('many bytes are not', () => assert.equal(isAllowed(1000), false));
`;

/** Creates a project with these files. It is removed after the test. */
function makeProject(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-project-')));
  t.after(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  mkdirSync(join(root, 'src'));
  mkdirSync(join(root, 'test'));
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  return root;
}

function run(root: string, options: Partial<Options> = {}): Promise<FolderResult> {
  return runFolder(FOLDER, { root, lists: NOTHING, ...options });
}

/** The verdict of each fault, such as `<= => <: noticed`. */
function statesOf({ judged }: FolderResult): string[] {
  return judged.map(
    ({ mutant, verdict }) => `${mutant.id.from} => ${mutant.text}: ${verdict.state}`,
  );
}

test('a strong test notices each fault, and a weak test does not', async (t) => {
  const root = makeProject(t, { 'src/allowed.ts': ALLOWED, 'test/allowed.test.ts': WEAK });
  const weak = await run(root);
  assert.deepEqual(statesOf(weak), ['<= => <: survived', '<= => >: noticed', '10 => 11: survived']);
  assert.equal(percent(weak.score), 33.3);
  assert.deepEqual(weak.faults, []);
  // Verdicts with changed inputs are judged again: here the test changed.
  writeFileSync(join(root, 'test/allowed.test.ts'), STRONG);
  const strong = await run(root);
  assert.deepEqual(
    new Set(strong.judged.map(({ verdict }) => verdict.state)),
    new Set(['noticed']),
  );
  assert.equal(percent(strong.score), 100);
  assert.equal(readFileSync(join(root, 'src/allowed.ts'), 'utf8'), ALLOWED);
});

test('a second run judges only changed faults', async (t) => {
  const root = makeProject(t, { 'src/allowed.ts': ALLOWED, 'test/allowed.test.ts': WEAK });
  const first = await run(root);
  const verdicts = readFileSync(join(root, '.cache/mutation/verdicts.jsonl'), 'utf8');
  const second = await run(root);
  assert.deepEqual(statesOf(second), statesOf(first));
  assert.equal(readFileSync(join(root, '.cache/mutation/verdicts.jsonl'), 'utf8'), verdicts);
  writeFileSync(join(root, 'src/allowed.ts'), `// A line more.\n${ALLOWED}`);
  await run(root);
  assert.notEqual(readFileSync(join(root, '.cache/mutation/verdicts.jsonl'), 'utf8'), verdicts);
});

test('a sample is judged by quick tests, and a complete run also by whole files', async (t) => {
  const slow = STRONG.replaceAll(
    '() => assert',
    'async () => {\n  await setTimeout(1000);\n  assert',
  )
    .replaceAll('));\n', ');\n});\n')
    .replace(HEAD, `${HEAD}import { setTimeout } from 'node:timers/promises';\n`);
  const root = makeProject(t, {
    'src/allowed.ts': ALLOWED,
    'test/allowed.test.ts': WEAK,
    'test/slow.test.ts': slow,
  });
  const sample = await run(root, { quickMs: 0, minutes: 10, seed: 'any' });
  const states = statesOf(sample);
  assert.ok(states.includes('<= => <: survived') && states.includes('10 => 11: survived'));
  // The verdict of a sample is not used by a complete run, but the verdict of a complete run is used by a sample.
  const whole = await run(root, { quickMs: 0 });
  assert.deepEqual(whole.survivors, []);
  const verdicts = readFileSync(join(root, '.cache/mutation/verdicts.jsonl'), 'utf8');
  const again = await run(root, { quickMs: 0, minutes: 10, seed: 'any' });
  assert.deepEqual(again.survivors, []);
  assert.equal(readFileSync(join(root, '.cache/mutation/verdicts.jsonl'), 'utf8'), verdicts);
});

test('a score below the table and an unlisted survivor are faults', async (t) => {
  const root = makeProject(t, { 'src/allowed.ts': ALLOWED, 'test/allowed.test.ts': WEAK });
  const row = { folder: 'src', share: 1, mutants: 3, noticed: 2, equivalent: 0 };
  const { faults, survivors } = await run(root, { lists: { ...NOTHING, scores: [row] } });
  assert.match(faults[0] ?? '', /^src: the score sank from 66\.6 to 33\.3$/);
  assert.match(
    faults[1] ?? '',
    /no test notices this unlisted fault:\nsrc\/allowed\.ts:1 boundary in isAllowed\n/,
  );
  assert.equal(faults.length, 3);

  const sample = await run(root, { lists: { ...NOTHING, scores: [row] }, minutes: 10, seed: '' });
  assert.equal(sample.faults.length, 1, 'a sample of three can have two survivors by chance');

  const unnoticed = survivors.map(({ id }) => toListed(id));
  const same = { ...row, noticed: 1 };
  const lists = { scores: [same], equivalent: [], unnoticed };
  assert.deepEqual((await run(root, { lists })).faults, []);
});

test('a survivor that is listed as equivalent does not count, and a wrong entry is a fault', async (t) => {
  const root = makeProject(t, { 'src/allowed.ts': ALLOWED, 'test/allowed.test.ts': WEAK });
  const { judged } = await run(root);
  const [boundary, opposite] = judged.map(({ mutant }) => toListed(mutant.id));
  assert.ok(boundary !== undefined && opposite !== undefined);
  const reason = 'no caller has this many';
  const good = await run(root, { lists: { ...NOTHING, equivalent: [{ ...boundary, reason }] } });
  assert.equal(percent(good.score), 50);
  assert.deepEqual(good.faults, []);

  const gone = { ...boundary, line: 'a line that was rewritten', reason };
  const wrong = await run(root, {
    lists: { ...NOTHING, equivalent: [gone, { ...opposite, reason }] },
  });
  assert.equal(wrong.faults.length, 2);
  assert.match(
    wrong.faults[0] ?? '',
    /^listed as equivalent, but does not exist: src\/allowed\.ts/,
  );
  assert.match(
    wrong.faults[1] ?? '',
    /^listed as equivalent, but a test notices it: src\/allowed\.ts/,
  );
});

test('a fault that never ends is killed and counts as noticed', async (t) => {
  const root = makeProject(t, {
    'src/count.ts': `export function count(to: number): number {
  let n = 0;
  while (n < to) n += 1;
  return n;
}
`,
    'test/count.test.ts': `${HEAD}import { count } from '../src/count.ts';
test('counts', () => assert.equal(count(3), 3));
`,
  });
  const { judged } = await run(root, { leastLimitMs: 1_500 });
  const backwards = judged.find(({ mutant }) => mutant.text === '-=');
  assert.deepEqual(backwards?.verdict, {
    state: 'noticed',
    by: 'test/count.test.ts',
    how: 'timeout',
  });
});

test('programs that a test starts with any environment have the fault too', async (t) => {
  const root = makeProject(t, {
    'src/program.ts': 'console.log(1 + Number(process.argv[2]));\n',
    'test/program.test.ts': `${HEAD}import { spawnSync, spawn } from 'node:child_process';
const PROGRAM = new URL('../src/program.ts', import.meta.url).pathname;
test('adds one', async () => {
  const options = { env: { PATH: '' }, encoding: 'utf8' } as const;
  assert.equal(spawnSync(process.execPath, [PROGRAM, '2'], options).stdout, '3\\n');
});
test('adds one to ten', async () => {
  const { stdout } = spawn(process.execPath, [PROGRAM, '10'], { env: { PATH: '' } });
  assert.equal((await Array.fromAsync(stdout)).join(''), '11\\n');
});
`,
  });
  const { survivors, judged } = await run(root);
  assert.deepEqual(survivors, []);
  assert.ok(judged.length >= 3, `${judged.length}`);
});

test('a program without Node options sees none and has the fault', async (t) => {
  const root = makeProject(t, {
    'src/program.ts': 'console.log(1 + 1, process.env["NODE_OPTIONS"]);\n',
    'test/program.test.ts': `${HEAD}import { spawnSync } from 'node:child_process';
const PROGRAM = new URL('../src/program.ts', import.meta.url).pathname;
test('adds, without options', () => {
  const { NODE_OPTIONS: _, ...env } = process.env;
  assert.equal(spawnSync(process.execPath, [PROGRAM], { env, encoding: 'utf8' }).stdout, '2 undefined\\n');
});
`,
  });
  const { survivors, judged, red } = await run(root);
  assert.deepEqual(red, []);
  assert.ok(judged.some(({ mutant }) => mutant.kind !== 'string'));
  // Without the variable, its name has no effect.
  assert.ok(survivors.every(({ kind }) => kind === 'string'));
});

test('a sample can have as many survivors as the score makes probable', () => {
  const row = { folder: 'src', share: 1, mutants: 100, noticed: 90, equivalent: 0 };
  // P(X > 6) of B(30, 0.1) is 0.026, and P(X > 7) is 0.008. P(X > 3) of B(10, 0.05) is 0.001, and P(X > 2) is 0.011.
  assert.equal(mostByChance(30, row), 7);
  assert.equal(mostByChance(10, { ...row, noticed: 100 }), 3);
  assert.equal(mostByChance(0, row), 0);
  assert.equal(mostByChance(30, undefined), 0);
});

test('property tests have the same values in each run', async (t) => {
  const root = makeProject(t, {
    'src/allowed.ts': ALLOWED,
    'test/allowed.test.ts': `${HEAD}import fc from 'fast-check';
import { isAllowed } from '../src/allowed.ts';
test('is seeded', () => assert.equal(fc.readConfigureGlobal()?.seed, 1));
test('is a boolean', () => fc.assert(fc.property(fc.nat(), (n) => isAllowed(n) !== null)));
`,
  });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const { red, survivors } = await run(root);
  assert.deepEqual(red, []);
  assert.equal(survivors.length, 3);
});

test('tests that fail while they are recorded are still used', async (t) => {
  const root = makeProject(t, {
    'src/allowed.ts': ALLOWED,
    'test/allowed.test.ts': `${STRONG}import { readFileSync } from 'node:fs';
test('passes without coverage', () => {
  const orders = readFileSync(process.env['SVC_MUTATION'] ?? '', 'utf8');
  assert.ok(!orders.includes('record'));
});
`,
  });
  const { red, judged } = await run(root);
  assert.deepEqual(red, []);
  assert.deepEqual(new Set(judged.map(({ verdict }) => verdict.state)), new Set(['noticed']));
});

test('tests that fail without a fault do not judge faults', async (t) => {
  const root = makeProject(t, {
    'src/allowed.ts': ALLOWED,
    'test/allowed.test.ts': STRONG.replace('isAllowed(10), true', 'isAllowed(10), false'),
  });
  const { red, judged, complete } = await run(root);
  assert.deepEqual(
    red.map(({ testFile }) => testFile),
    ['test/allowed.test.ts'],
  );
  assert.deepEqual(new Set(judged.map(({ verdict }) => verdict.state)), new Set(['unjudged']));
  assert.equal(complete, false);
});

test('a run that is killed leaves no process, no file, and the sources as they were', {
  skip: process.platform !== 'linux' && 'finds processes by /proc',
}, async (t) => {
  const source = 'export const wait = (ms: number): boolean => ms > 5;\n';
  const root = makeProject(t, {
    'src/wait.ts': source,
    'test/wait.test.ts': `${HEAD}import { wait } from '../src/wait.ts';
test('does not wait', () => { while (wait(5)) {} });
`,
  });
  const temporary = join(root, 'tmp');
  mkdirSync(temporary);
  const program = `import { runFolder } from ${JSON.stringify(join(import.meta.dirname, 'run-folder.ts'))};
await runFolder(${JSON.stringify(FOLDER)}, { root: ${JSON.stringify(root)}, lists: ${JSON.stringify(NOTHING)}, leastLimitMs: 600_000 });`;
  writeFileSync(join(root, 'run.ts'), program);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [join(root, 'run.ts')], {
    env: { ...env, TMPDIR: temporary },
    stdio: 'ignore',
  });
  t.after(() => child.kill('SIGKILL'));
  const planted = (): string[] =>
    readdirSync(temporary).filter((name) => name.startsWith('svc-mutate-'));
  await until(
    () => holdersOf(temporary, 'wait.test.ts'),
    // The fault `ms >= 5` waits forever.
    (pids) => pids.length > 0 && isPlanted(temporary),
    'a test runs with a fault',
  );
  child.kill('SIGKILL');
  await until(
    () => holdersOf(temporary, 'wait.test.ts'),
    (pids) => pids.length === 0,
    'it has exited',
  );
  await until(planted, (names) => names.length === 0, 'its folder is removed');
  assert.equal(readFileSync(join(root, 'src/wait.ts'), 'utf8'), source);
});

/** Processes with the file in their command line and the folder in their environment. */
function holdersOf(folder: string, file: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return (
        command.includes(file) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder)
      );
    } catch {
      return false;
    }
  });
}

/** Whether the folder contains a task to plant a fault. */
function isPlanted(folder: string): boolean {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('orders.json'))
    .some((name) => {
      try {
        return readFileSync(join(folder, name), 'utf8').includes('"plant"');
      } catch {
        return false;
      }
    });
}

test('the table and the list are unchanged after writing and reading', async (t) => {
  const root = makeProject(t, { 'src/allowed.ts': ALLOWED, 'test/allowed.test.ts': WEAK });
  const lists = updateLists(NOTHING, await run(root));
  writeLists(root, lists);
  assert.deepEqual(readLists(root).scores, [
    { folder: 'src', share: 1, mutants: 3, noticed: 1, equivalent: 0 },
  ]);
  assert.deepEqual(
    new Set(readLists(root).unnoticed.map(({ from, to }) => `${from} => ${to}`)),
    new Set(['<= => <', '10 => 11']),
  );
});

test('a share always selects the same faults, and contains those of a smaller sample', () => {
  const ids = Array.from({ length: 400 }, (_, i) => {
    return { file: 'a.ts', within: 'f', line: `g(${i});`, from: `${i}`, to: `${i + 1}` };
  });
  const one = (share: number) => ids.filter((id) => isInShare(share, id));
  assert.equal(one(1).length, 400);
  assert.ok(one(4).length > 60 && one(4).length < 140, `${one(4).length}`);
  assert.ok(one(8).every((id) => one(4).includes(id)));
});

test('the compiler rejects only a wrong type', () => {
  const compiler = new Compiler(ROOT);
  try {
    const source = readFileSync(join(import.meta.dirname, 'lists.ts'), 'utf8');
    assert.equal(compiler.rejects('mutation/lists.ts', source), false);
    assert.equal(compiler.rejects('mutation/lists.ts', `${source}const a: number = '';`), true);
    assert.equal(compiler.rejects('mutation/lists.ts', `${source}void 1;`), false);
  } finally {
    compiler.close();
  }
});
