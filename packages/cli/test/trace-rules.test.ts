// `svc trace …`: values at their budgets, rejected values, and long lists.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { modelOf, summarizeTrace } from '@svc/trace';
import { traceFromText } from '@svc/trace/testing';
import { runHere } from './run-here.ts';
import { finish, folderWith, temporaryFolder } from './svc.ts';

const HEADER =
  '{"vpt":1,"producer":{"name":"t","version":"0"},"started_at":null,"sources":["native","browser"]}\n';
const PROCESS =
  '{"type":"process","t":1000,"source":"native","cpu_percent":12.5,"rss_bytes":5000}\n';
const END = '{"type":"end","t":20000,"reason":"off"}\n';
const DURATIONS = Array.from({ length: 200 }, (_, at) => (at % 50 === 0 ? 100 : 10));
/** One frame in 200 has 90 draw calls, which 99 % of the frames do not exceed; the second largest number is 7. */
const DRAWS = DURATIONS.map((_, at) => (at === 30 ? 90 : at % 8));
const FRAMES = `{"type":"frames","t":0,"source":"browser","duration_ms":[${DURATIONS}],"draws":[${DRAWS}]}\n`;
const asset = (id: string) =>
  `{"type":"asset","t":10,"source":"browser","id":"${id}","name":"${id}.png","kind":"texture","phase":"decode","bytes":1000,"gpu_bytes":4000,"duration_ms":1}\n`;
const SHADERS = ['s', 't', 's']
  .map(
    (id) =>
      `{"type":"asset","t":11,"source":"browser","id":"${id}","name":"shader","kind":"shader","phase":"compile","duration_ms":1}\n`,
  )
  .join('');
const WHOLE = `${HEADER}${FRAMES}${PROCESS}${asset('a')}${asset('b')}${SHADERS}${PROCESS.replace('5000', '4000')}${END}`;

test('svc trace budget accepts a value equal to its budget, and rejects a larger one', async (t) => {
  const cwd = folderWith(t, { 'a.vpt': WHOLE });
  const judge = async (budgets: object) => {
    writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ title: 'x', budgets }));
    return await runHere(t, ['trace', 'budget', 'a.vpt', '--json'], { cwd });
  };
  const values = {
    ...{ frame_p99_ms: 100, hitches: 4, asset_bytes: 2000, gpu_bytes: 8000 },
    ...{ draw_calls: 7, shaders: 2, rss_bytes: 5000 },
  };
  const kept = await judge(values);
  assert.equal(kept.code, 0, kept.stdout);
  assert.deepEqual(
    JSON.parse(kept.stdout).checks,
    Object.entries(values).map(([budget, limit]) => ({ budget, limit, value: limit, kept: true })),
  );
  for (const [budget, value] of Object.entries(values)) {
    const broken = await judge({ ...values, [budget]: value - 1 });
    const { error, checks } = JSON.parse(broken.stdout);
    assert.deepEqual([broken.code, error.code], [1, 'budget_broken']);
    assert.equal(error.message, `a.vpt does not meet a budget: ${budget}.`);
    assert.deepEqual(
      checks
        .filter((check: { kept: boolean }) => !check.kept)
        .map((check: { budget: string }) => check.budget),
      [budget],
    );
  }
});

test('svc trace budget leaves out ratios, which need two builds', async (t) => {
  const budgets = { hitches: 4, frame_p99_ratio: 0.1, first_frame_ratio: 0.1 };
  const cwd = folderWith(t, {
    'a.vpt': WHOLE,
    'svc.json': JSON.stringify({ title: 'x', budgets }),
  });
  const { code, stdout } = await runHere(t, ['trace', 'budget', 'a.vpt', '--json'], { cwd });
  assert.deepEqual(
    [code, JSON.parse(stdout).checks],
    [0, [{ budget: 'hitches', limit: 4, value: 4, kept: true }]],
  );
});

test('svc trace budget shows each budget with its unit, and whether it is exceeded or not measured', async (t) => {
  const budgets = { frame_p99_ms: 16.7, hitches: 1, rss_bytes: 4096 };
  const cwd = folderWith(t, {
    'a.vpt': HEADER + PROCESS + END,
    'svc.json': JSON.stringify({ title: 'x', budgets }),
  });
  const { code, stdout, stderr } = await runHere(t, ['trace', 'budget', 'a.vpt'], { cwd });
  assert.equal(code, 1);
  assert.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/)),
    [
      ['BUDGET', 'VALUE', 'LIMIT'],
      ['FAILED', 'frame_p99_ms', 'not measured', '16.7 ms'],
      ['FAILED', 'hitches', 'not measured', '1'],
      ['FAILED', 'rss_bytes', '4.9 KiB', '4.0 KiB'],
    ],
  );
  assert.match(
    stderr,
    /^svc: a\.vpt does not meet 3 budgets: frame_p99_ms, hitches, rss_bytes\.\n$/,
  );
  const none = await runHere(t, ['trace', 'budget', 'a.vpt'], { cwd: temporaryFolder(t) });
  assert.equal(none.code, 2);
  assert.match(none.stderr, /^svc: svc\.json has no budgets\./);
});

test('svc trace budget counts a value that is missing in the trace as not met, also if it has frames without a duration', async (t) => {
  const names = ['frame_p99_ms', 'hitches', 'asset_bytes', 'gpu_bytes', 'rss_bytes'];
  const budgets = Object.fromEntries(names.map((name) => [name, 1e9]));
  const cwd = folderWith(t, {
    'none.vpt': HEADER + END,
    'empty.vpt': `${HEADER}${FRAMES.replace(/\[.*\]/, '[]')}${END}`,
    'svc.json': JSON.stringify({ title: 'x', budgets }),
  });
  for (const file of ['none.vpt', 'empty.vpt']) {
    const { code, stdout } = await runHere(t, ['trace', 'budget', file, '--json'], { cwd });
    const { error, checks } = JSON.parse(stdout);
    assert.deepEqual([code, error.code], [1, 'budget_broken'], file);
    assert.deepEqual(
      checks,
      names.map((budget) => ({ budget, limit: 1e9, value: null, kept: false })),
      file,
    );
  }
});

test('svc trace analyze shows the evidence of each finding with its value, unit, time and duration', async (t) => {
  const hitches = Array.from({ length: 600 }, (_, at) => (at % 60 === 0 ? 90 : 16.6));
  const big = `{"type":"asset","t":900,"source":"browser","id":"x","name":"x\\u001b.png","kind":"texture","phase":"decode","format":"rgba8","bytes":1000,"gpu_bytes":${600 * 1024 * 1024},"duration_ms":1}\n`;
  const cwd = folderWith(t, {
    'a.vpt': `${HEADER}${FRAMES.replace(/\[.*\]/, `[${hitches}]`)}${big}${END}`,
  });
  const { code, stdout } = await runHere(t, ['trace', 'analyze', 'a.vpt'], { cwd });
  assert.equal(code, 0);
  for (const line of [
    '          - x\\x1b.png  600 MiB  at 900 ms',
    '          - interval  1069.4 ms',
    '          - hitch  at 0 ms  for 90 ms',
    '          - hitch  at 1.1 s  for 90 ms',
  ]) {
    assert.ok(stdout.split('\n').includes(line), `${line}\n${stdout}`);
  }
});

test('svc trace analyze shows bytes a minute and bytes a second as sizes', async (t) => {
  const MIB = 1_048_576;
  const rising = Array.from({ length: 60 }, (_, i) => (100 + i * 2) * MIB);
  const heap = [80, 100, 60, 100, 99, 60, 100, 70, 100, 80].map((mib) => mib * MIB);
  const cwd = folderWith(t, {
    'a.vpt': traceFromText(`native\n0 process rss ${rising.join(' ')}`),
    'b.vpt': traceFromText(`browser\n0 counter js_heap_bytes bytes ${heap.join(' ')}`),
  });
  const analysisOf = async (file: string) =>
    (await runHere(t, ['trace', 'analyze', file], { cwd })).stdout;
  assert.match(await analysisOf('a.vpt'), /- RSS {2}120 MiB a minute {2}at /);
  assert.match(await analysisOf('b.vpt'), /- allocated {2}14\.4 MiB a second\n/);
});

test('svc trace assets shows missing values as unknown, and rejects a file that is not a trace', async (t) => {
  const bare = `{"type":"asset","t":10,"source":"browser","id":"a","name":"a.png","kind":"texture","phase":"load"}\n`;
  const cwd = folderWith(t, { 'a.vpt': `${HEADER}${bare}${END}`, 'b.txt': '\nno stacks at all\n' });
  const { stdout } = await runHere(t, ['trace', 'assets', 'a.vpt'], { cwd });
  assert.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/)),
    [
      ['COST', 'SHARE', 'HITCH', 'MAIN', 'SIZE', 'GPU', 'KIND', 'ASSET'],
      ['0.00', '0.0 %', '0 ms', '?', '?', '?', 'texture', 'a.png'],
    ],
  );
  for (const command of ['assets', 'info', 'check', 'convert', 'analyze']) {
    const refused = await runHere(t, ['trace', command, 'b.txt'], { cwd });
    assert.equal(refused.code, 1, command);
    assert.match(refused.stderr, /^svc: b\.txt:2:1: Cannot read folded stacks: /, command);
  }
});

test('svc trace analyze uses the frame time of --frame-ms, and reports the hash of the summary', async (t) => {
  const cwd = folderWith(t, { 'a.vpt': WHOLE });
  const analyze = (...args: string[]) =>
    runHere(t, ['trace', 'analyze', 'a.vpt', ...args], { cwd });
  const ids = ({ stdout }: { stdout: string }): string[] =>
    JSON.parse(stdout).findings.map(({ id }: { id: string }) => id);
  const usual = await analyze('--json');
  const { mode, model, host, text, summary_bytes, summary_sha256 } = JSON.parse(usual.stdout);
  const summary = summarizeTrace(modelOf(WHOLE));
  assert.deepEqual(
    [mode, model, host, text, summary_bytes],
    ['offline', null, null, null, summary.bytes],
  );
  assert.equal(summary_sha256, createHash('sha256').update(summary.text).digest('hex'));
  assert.deepEqual(ids(usual), []);
  const strict = await analyze('--json', '--frame-ms', '5.5');
  assert.ok(ids(strict).includes('frames_over_budget'), strict.stdout);
  assert.equal((await analyze('--frame-ms', '1000')).stdout, 'No problems found.\n');
  for (const wrong of ['0', '0.0', '1000.1', '1e3', '-1', '', 'x', '16,7']) {
    const { code, stderr } = await analyze(`--frame-ms=${wrong}`);
    assert.equal(code, 2, wrong);
    assert.match(stderr, /Write a number of milliseconds, more than 0 and at most 1000\./);
  }
});

test('svc trace info and check list ten of the skipped lines, and count them all', async (t) => {
  const bad = (count: number) => `main;draw 10\n${'no stack\n'.repeat(count)}`;
  const cwd = folderWith(t, { 'ten.folded': bad(10), 'more.folded': bad(11) });
  const lines = async (command: string, file: string): Promise<string[]> => {
    const { stdout } = await runHere(t, ['trace', command, file], { cwd });
    return stdout
      .trimEnd()
      .split('\n')
      .filter((line) => /line|more/.test(line));
  };
  const ten = await lines('info', 'ten.folded');
  assert.equal(ten.length, 11);
  assert.equal(ten[0], 'skipped    10 lines that are not stacks:');
  const eleven = await lines('info', 'more.folded');
  assert.equal(eleven.length, 12);
  assert.equal(eleven.at(-1), '  … and 1 more (--json lists up to 1000)');
  assert.equal((await lines('check', 'ten.folded')).length, 10);
  const checked = await lines('check', 'more.folded');
  assert.equal(checked.filter((line) => /line \d+ was skipped/.test(line)).length, 10);
  assert.equal(checked.at(-1), '  11 lines were skipped in total');
});

test('svc trace info reports the weight of each unit', async (t) => {
  const stacks = (source: string, unit: string, weight: number) =>
    `{"type":"stacks","t":0,"source":"${source}","first_name":0,"names":["a"],"first_node":0,"parents":[-1],"node_names":[0],"samples":{"node":[0],"weight":[${weight}]},"unit":"${unit}"}\n`;
  const cwd = folderWith(t, {
    'a.vpt': `${HEADER}${stacks('native', 'ns', 12_345)}${stacks('browser', 'count', 7)}${END}`,
  });
  const { stdout } = await runHere(t, ['trace', 'info', 'a.vpt'], { cwd });
  assert.match(
    stdout,
    /^weight +12,345 ns\n +7 count\nstacks +1 distinct\nfunctions +1 distinct$/m,
  );
});

test('svc trace info shows whether a trace is complete, and svc trace check the skipped lines', async (t) => {
  const rows: [text: string, complete: string, remarks: string[]][] = [
    [HEADER + PROCESS + END, 'yes', []],
    [
      `${HEADER}${PROCESS}${END}\0\0\0`,
      'yes (3 bytes of an incomplete last line are ignored)',
      ['torn: 3 bytes after the last complete line are ignored'],
    ],
    [
      HEADER + PROCESS,
      'no: the end record is missing (the session was killed, or is still running)',
      ['partial: the end record is missing'],
    ],
    [
      `${HEADER}${PROCESS}{"type`,
      'no: the last line is incomplete (6 bytes of an incomplete last line are ignored)',
      [
        'partial: the end record is missing',
        'torn: 6 bytes after the last complete line are ignored',
      ],
    ],
  ];
  for (const [text, complete, remarks] of rows) {
    const cwd = folderWith(t, { 'a.vpt': text });
    const info = await runHere(t, ['trace', 'info', 'a.vpt'], { cwd });
    assert.ok(info.stdout.includes(`\ncomplete  ${complete}\n\nmeasured`), info.stdout);
    const check = await runHere(t, ['trace', 'check', 'a.vpt'], { cwd });
    const [, ...reported] = check.stdout.trimEnd().split('\n');
    assert.deepEqual(
      reported,
      remarks.map((remark) => `  ${remark}`),
    );
  }
});

test('svc trace recognizes the format by the ending .vpt in any case, else by the bytes', async (t) => {
  const cwd = folderWith(t, {
    'a.VPT': 'main;draw 10\n',
    'b.txt': HEADER + END,
    'c.vpt.txt': 'main;draw 10\n',
  });
  const check = async (file: string) => {
    const { code, stdout } = await runHere(t, ['trace', 'check', file, '--json'], { cwd });
    return [code, JSON.parse(stdout).format];
  };
  assert.deepEqual(await check('a.VPT'), [1, undefined]);
  assert.deepEqual(await check('b.txt'), [0, 'vpt']);
  assert.deepEqual(await check('c.vpt.txt'), [0, 'folded']);
});

test('svc trace assets lists up to a million', async (t) => {
  const cwd = folderWith(t, { 'a.vpt': WHOLE });
  const { code, stdout } = await runHere(t, ['trace', 'assets', 'a.vpt', '--limit', '1000000'], {
    cwd,
  });
  assert.equal(code, 0);
  assert.doesNotMatch(stdout, /more of/);
});

test('svc trace convert writes to standard output for -, and rejects it together with --json', async (t) => {
  const cwd = folderWith(t, { 'a.vpt': WHOLE });
  const { code, stdout, stderr } = await runHere(t, ['trace', 'convert', 'a.vpt', '-o', '-'], {
    cwd,
  });
  assert.deepEqual([code, stdout, stderr], [0, WHOLE, '']);
  for (const out of [[], ['-o', '-']]) {
    const refused = await runHere(t, ['trace', 'convert', 'a.vpt', '--json', ...out], { cwd });
    assert.equal(refused.code, 2);
    assert.equal(JSON.parse(refused.stdout).error.code, 'usage');
  }
  const file = await runHere(t, ['trace', 'convert', 'a.vpt', '-o', 'b.vpt', '--json'], { cwd });
  const document = { out: 'b.vpt', bytes: WHOLE.length, format: 'vpt', skipped_count: 0 };
  assert.deepEqual(JSON.parse(file.stdout), document);
  assert.equal(readFileSync(join(cwd, 'b.vpt'), 'utf8'), WHOLE);
});

test('svc trace convert writes into an existing pipe, and does not replace it', {
  timeout: 60_000,
}, async (t) => {
  const cwd = folderWith(t, { 'a.vpt': WHOLE });
  const pipe = join(cwd, 'pipe');
  if (spawnSync('mkfifo', [pipe]).status !== 0) return t.skip('mkfifo is missing');
  const reader = spawn('cat', [pipe]);
  t.after(() => reader.kill('SIGKILL'));
  const read = finish(reader);
  const { code, stderr } = await runHere(t, ['trace', 'convert', 'a.vpt', '-o', 'pipe'], { cwd });
  assert.equal(code, 0, stderr);
  assert.ok(lstatSync(pipe).isFIFO());
  assert.equal((await read).stdout, WHOLE);
});
