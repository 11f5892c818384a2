// `svc trace …` as a process: files of both formats, pipes, positions of faults, temporary files.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Errors } from 'typebox/value';
import { until } from '../../../scripts/until.ts';
import { DOCUMENTS } from '../src/documents.ts';
import { finish, folderWith, runSvc, startSvc, temporaryFolder } from './svc.ts';

const HEADER =
  '{"vpt":1,"producer":{"name":"t","version":"0"},"started_at":null,"sources":["native"]}\n';
const PROCESS = '{"type":"process","t":1000,"cpu_percent":12.5,"rss_bytes":5000}\n';
const END = '{"type":"end","t":2000,"reason":"off"}\n';
const FOLDED = 'main;draw;blit 30\nmain;draw 10\nnot a stack\nmain;update;math 9007199254740993\n';

test('svc trace info describes a folded file, with an exact total', async (t) => {
  const cwd = folderWith(t, { 'a.folded': FOLDED });
  const { code, stdout } = await runSvc(t, ['trace', 'info', 'a.folded', '--json'], { cwd });
  assert.equal(code, 0);
  const info = JSON.parse(stdout);
  assert.deepEqual(
    [info.format, info.sources, info.samples, info.weight_total, info.stacks, info.frames],
    ['folded', ['import'], 3, '9007199254741033', 3, 5],
  );
  assert.deepEqual(
    info.skipped.map(({ line }: { line: number }) => line),
    [3],
  );
  const text = await runSvc(t, ['trace', 'info', 'a.folded'], { cwd });
  assert.match(text.stdout, /9,007,199,254,741,033/);
  assert.match(text.stdout, /line 3: /);
});

test('svc trace info reports a .vpt without its end record as partial', async (t) => {
  const cwd = folderWith(t, { 'a.vpt': `${HEADER}${PROCESS}{"type":"pro` });
  const { stdout } = await runSvc(t, ['trace', 'info', 'a.vpt', '--json'], { cwd });
  const { format, records, partial, torn_bytes, duration_ms } = JSON.parse(stdout);
  assert.deepEqual([format, records, partial, torn_bytes, duration_ms], ['vpt', 1, true, 12, 1000]);
});

test('every svc trace command reads a file that a power failure filled with NUL bytes', async (t) => {
  const nuls = '\0'.repeat(5_000);
  const cwd = folderWith(t, {
    'cut.vpt': `${HEADER}${PROCESS}{"type":"pro${nuls}`,
    'ended.vpt': `${HEADER}${PROCESS}${END}${nuls}`,
  });
  for (const [file, torn, partial] of [
    ['cut.vpt', 5_012, true],
    ['ended.vpt', 5_000, false],
  ] as const) {
    for (const command of ['info', 'check', 'assets']) {
      const { code, stdout } = await runSvc(t, ['trace', command, file, '--json'], { cwd });
      assert.equal(code, 0, stdout);
      const reported = JSON.parse(stdout);
      if (command !== 'assets')
        assert.deepEqual([reported.torn_bytes, reported.partial], [torn, partial]);
    }
    const analysis = await runSvc(t, ['trace', 'analyze', file, '--json'], { cwd });
    assert.equal(analysis.code, 0, analysis.stdout);
  }
});

test('svc trace reads standard input', async (t) => {
  const { code, stdout } = await runSvc(t, ['trace', 'info', '-', '--json'], { input: FOLDED });
  assert.deepEqual([code, JSON.parse(stdout).samples], [0, 3]);
});

test('svc trace check accepts valid files, and reports the position of the first fault in others', async (t) => {
  const cwd = folderWith(t, {
    'good.vpt': HEADER + PROCESS + END,
    'bad.vpt': `${HEADER}{"type":"mark","name":"é","t":-1}\n`,
    'after.vpt': HEADER + END + PROCESS,
    'empty.vpt': '',
    'binary.vpt': new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 0xff]),
  });
  const good = await runSvc(t, ['trace', 'check', 'good.vpt'], { cwd });
  assert.deepEqual([good.code, good.stderr], [0, '']);
  const bad = await runSvc(t, ['trace', 'check', 'bad.vpt'], { cwd });
  assert.deepEqual([bad.code, bad.stdout], [1, '']);
  assert.match(bad.stderr, /^svc: bad\.vpt:2:32: \S/);
  const after = await runSvc(t, ['trace', 'check', 'after.vpt', '--json'], { cwd });
  const { error } = JSON.parse(after.stdout);
  assert.deepEqual([after.code, error.code, error.line, error.column], [1, 'after_end', 3, 1]);
  for (const name of ['empty.vpt', 'binary.vpt']) {
    const refused = await runSvc(t, ['trace', 'check', name], { cwd });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, new RegExp(`^svc: ${name}:1:\\d+: `));
  }
});

test('svc trace reports an empty input as empty, and not as folded stacks', async (t) => {
  const cwd = folderWith(t, { 'empty.vpt': '', empty: '', 'blank.vpt': '\n' });
  for (const command of ['check', 'info', 'assets', 'convert', 'analyze']) {
    for (const file of ['empty.vpt', 'empty', '-']) {
      const { code, stderr } = await runSvc(t, ['trace', command, file], { cwd, input: '' });
      assert.equal(code, 1, `${command} ${file}`);
      assert.match(stderr, /:1:1: Cannot read a trace: the file is empty/, `${command} ${file}`);
    }
  }
  const { stderr } = await runSvc(t, ['trace', 'info', 'blank.vpt'], { cwd });
  assert.doesNotMatch(stderr, /folded/);
});

test('svc trace reports why it cannot read a file', async (t) => {
  const cwd = folderWith(t, { 'perf.json': '{"traceEvents":[]}' });
  mkdirSync(join(cwd, 'folder'));
  for (const [name, expected] of [
    ['missing.vpt', /the file does not exist/],
    ['folder', /it is a folder/],
    ['perf.json', /^svc: perf\.json:1:1: /],
  ] as const) {
    for (const command of ['info', 'assets', 'check', 'convert']) {
      const { code, stdout, stderr } = await runSvc(t, ['trace', command, name], { cwd });
      assert.deepEqual([code, stdout], [1, ''], `${command} ${name}`);
      assert.match(stderr, expected);
    }
  }
});

test('svc trace convert writes the same bytes each time, with -o and to standard output', async (t) => {
  const cwd = folderWith(t, { 'a.folded': FOLDED });
  const one = await runSvc(t, ['trace', 'convert', 'a.folded', '-o', 'a.vpt'], { cwd });
  const two = await runSvc(t, ['trace', 'convert', 'a.folded'], { cwd });
  assert.deepEqual([one.code, two.code], [0, 0]);
  assert.equal(readFileSync(join(cwd, 'a.vpt'), 'utf8'), two.stdout);
  assert.match(two.stderr, /^warning: Skipped 1 lines? /);
  const check = await runSvc(t, ['trace', 'check', 'a.vpt'], { cwd });
  assert.equal(check.code, 0, check.stderr);
  const info = await runSvc(t, ['trace', 'info', 'a.vpt', '--json'], { cwd });
  assert.equal(JSON.parse(info.stdout).weight_total, '9007199254741033');
});

test('svc trace convert copies a .vpt unchanged, also onto itself', async (t) => {
  const cwd = folderWith(t, { 'a.vpt': HEADER + PROCESS + END });
  const before = readFileSync(join(cwd, 'a.vpt'));
  const { code } = await runSvc(t, ['trace', 'convert', 'a.vpt', '-o', 'a.vpt'], { cwd });
  assert.equal(code, 0);
  assert.deepEqual(readFileSync(join(cwd, 'a.vpt')), before);
});

test('svc trace convert of an invalid file leaves no new or incomplete file', async (t) => {
  const cwd = folderWith(t, {
    'a.vpt': `${HEADER}${PROCESS.repeat(30_000)}broken\n`,
    'b.vpt': 'kept',
  });
  const { code } = await runSvc(t, ['trace', 'convert', 'a.vpt', '-o', 'b.vpt'], { cwd });
  assert.equal(code, 1);
  assert.equal(readFileSync(join(cwd, 'b.vpt'), 'utf8'), 'kept');
  assert.deepEqual(readdirSync(cwd).sort(), ['a.vpt', 'b.vpt']);
});

test('svc trace convert reports a file that cannot be written, and leaves no file', async (t) => {
  const cwd = folderWith(t, { 'a.folded': FOLDED });
  mkdirSync(join(cwd, 'folder'));
  for (const out of ['folder', 'nowhere/b.vpt', 'a.folded/b.vpt', '/proc/b.vpt']) {
    const { code, stderr } = await runSvc(t, ['trace', 'convert', 'a.folded', '-o', out], { cwd });
    assert.equal(code, 1);
    assert.match(stderr, /^svc: Cannot write "[^"]*": [a-z ]+\.\n$/);
  }
  assert.deepEqual(readdirSync(cwd).sort(), ['a.folded', 'folder']);
});

test('svc trace convert removes its temporary file when it is interrupted', async (t) => {
  const cwd = temporaryFolder(t);
  const child = startSvc(t, ['trace', 'convert', '-', '-o', 'b.vpt'], { cwd, hold: true });
  child.stdin?.write(`${HEADER}${PROCESS.repeat(30_000)}`);
  await until(
    () => readdirSync(cwd),
    (names) => names.some((name) => name.endsWith('.part')),
    'the conversion has begun',
  );
  child.kill('SIGTERM');
  const { code } = await finish(child);
  // A program on Windows cannot end by a signal.
  const ending = process.platform === 'win32' ? [143, null] : [null, 'SIGTERM'];
  assert.deepEqual([code, child.signalCode], ending);
  assert.deepEqual(readdirSync(cwd), []);
  assert.ok(!existsSync(join(cwd, 'b.vpt')));
});

test('svc trace assets ranks the assets of a trace, and lists nothing without asset records', async (t) => {
  const asset = (id: string, ms: number) =>
    `{"type":"asset","t":10,"source":"browser","id":"${id}","name":"${id}.png","kind":"texture","phase":"decode","bytes":1048576,"duration_ms":${ms},"main_thread_ms":${ms}}\n`;
  const cwd = folderWith(t, {
    'a.vpt': `${HEADER.replace('"native"', '"native","browser"')}${asset('cheap', 1)}${asset('dear', 90)}${END}`,
    'a.folded': FOLDED,
  });
  const { code, stdout } = await runSvc(t, ['trace', 'assets', 'a.vpt', '--json'], { cwd });
  assert.equal(code, 0);
  const { assets, weights, budget_ms } = JSON.parse(stdout);
  assert.deepEqual(
    assets.map(({ id }: { id: string }) => id),
    ['dear', 'cheap'],
  );
  assert.ok(budget_ms > 16 && Object.keys(weights).length > 0);
  const text = await runSvc(t, ['trace', 'assets', 'a.vpt'], { cwd });
  assert.match(text.stdout, /dear\.png/);
  const empty = await runSvc(t, ['trace', 'assets', 'a.folded', '--json'], { cwd });
  assert.deepEqual([empty.code, JSON.parse(empty.stdout).assets], [0, []]);
});

test('svc trace assets --limit lists the most expensive assets, and reports the number of the others', async (t) => {
  const asset = (id: number) =>
    `{"type":"asset","t":10,"id":${id},"name":"${id}.png","kind":"data","phase":"read","duration_ms":${id}}\n`;
  const lines = Array.from({ length: 12 }, (_, id) => asset(id)).join('');
  const cwd = folderWith(t, { 'a.vpt': `${HEADER}${lines}${END}` });
  const args = ['trace', 'assets', 'a.vpt', '--limit', '2'];
  const { stdout } = await runSvc(t, [...args, '--json'], { cwd });
  const { assets, left_out, totals } = JSON.parse(stdout);
  assert.deepEqual(
    assets.map(({ id }: { id: number }) => id),
    [11, 10],
  );
  assert.deepEqual([left_out, totals.assets, totals.load_ms], [10, 12, 66]);
  const text = await runSvc(t, args, { cwd });
  assert.match(text.stdout, /10 of 12 assets are not listed/);
  for (const wrong of ['0', '-1', '1e3', '1000001', 'all']) {
    const { code } = await runSvc(t, ['trace', 'assets', 'a.vpt', `--limit=${wrong}`], { cwd });
    assert.equal(code, 2, wrong);
  }
});

test('svc trace analyze reports problems, the same each time', async (t) => {
  const durations = Array.from({ length: 600 }, (_, i) => (i % 60 === 0 ? 90 : 16.6));
  const frames = `{"type":"frames","t":0,"duration_ms":[${durations}]}\n`;
  const cwd = folderWith(t, {
    'slow.vpt': `${HEADER.replace('"native"', '"browser"')}${frames}${END.replace('2000', '20000')}`,
    'a.folded': FOLDED,
  });
  const one = await runSvc(t, ['trace', 'analyze', 'slow.vpt', '--json'], { cwd });
  const two = await runSvc(t, ['trace', 'analyze', 'slow.vpt', '--json'], { cwd });
  assert.deepEqual([one.code, one.stdout], [0, two.stdout]);
  const document: unknown = JSON.parse(one.stdout);
  assert.deepEqual([...Errors(DOCUMENTS['trace-analyze'], document)], []);
  assert.match(one.stdout, /"id": "\w*(hitches|frames)\w*"/);
  const text = await runSvc(t, ['trace', 'analyze', 'slow.vpt'], { cwd });
  assert.match(text.stdout, /^(critical|warning) {2,}\S/m);
  assert.equal((await runSvc(t, ['trace', 'analyze', 'a.folded'], { cwd })).code, 0);
});

test('svc trace budget exits with 1 if a budget is exceeded or not measured', async (t) => {
  const cwd = folderWith(t, { 'a.vpt': HEADER + PROCESS + END });
  const judge = async (budgets: object) => {
    writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ title: 'x', budgets }));
    const { code, stdout } = await runSvc(t, ['trace', 'budget', 'a.vpt', '--json'], { cwd });
    return { code, ...JSON.parse(stdout) };
  };
  const kept = await judge({ rss_bytes: 5000 });
  assert.deepEqual([kept.code, kept.kept, kept.checks[0].value], [0, true, 5000]);
  const broken = await judge({ rss_bytes: 4999 });
  assert.deepEqual(
    [broken.code, broken.error.code, broken.checks[0].kept],
    [1, 'budget_broken', false],
  );
  const unknown = await judge({ frame_p99_ms: 20 });
  assert.deepEqual([unknown.code, unknown.checks[0].value], [1, null]);
  assert.equal((await judge({})).code, 2);
  const wrong = await judge({ rss_bytes: -1 });
  assert.deepEqual(
    [wrong.code, wrong.error.code],
    [1, 'project_file_invalid'],
    'trace ends with 0, 1 or 2',
  );
});

test('svc trace escapes control characters in names', async (t) => {
  const cwd = folderWith(t, {
    'a.vpt': `${HEADER.replace('"native"', '"browser"')}{"type":"asset","t":1,"id":"x","name":"\\u001b[2Jx","kind":"other","phase":"load"}\n${END}`,
  });
  const { stdout } = await runSvc(t, ['trace', 'assets', 'a.vpt'], { cwd });
  assert.ok(!stdout.includes('\x1b'));
  assert.match(stdout, /\\x1b\[2Jx/);
});

test('svc trace with wrong usage exits with 2', async (t) => {
  for (const args of [
    ['trace'],
    ['trace', 'info'],
    ['trace', 'frob', 'x'],
    ['trace', 'info', 'a', 'b'],
    ['trace', 'convert', '-', '--json'],
  ]) {
    const { code } = await runSvc(t, args);
    assert.equal(code, 2, args.join(' '));
  }
});
