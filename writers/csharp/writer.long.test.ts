// VptWriter.cs in Mono: what it writes, and what it does when the disk is slow, full or gone.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { TraceModelBuilder, VptReader } from '@svc/trace';
import { cleanName } from '@svc/trace/write';
import { runSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { until } from '../../scripts/until.ts';
import { framesOf, linesOf } from '../test/trace-lines.ts';
import { compileCsharp, noMono, runCsharp, startCsharp } from './test/run-csharp.ts';

const program =
  noMono === false
    ? compileCsharp({ after }, ['VptWriter.cs', 'test/WriterProgram.cs'])
    : 'not compiled';

/** Names with private parts, quotes, control characters, half surrogate pairs, and of every length around the limits. */
const NAMES: readonly string[] = [
  '',
  'plain',
  '"quoted" \\ \u0000\u0001\b\t\n\r\u001f\u007f\u0085\u2028\u2029\ufeff',
  'half \ud800 pair \udc00',
  '\ud83d\ude00 ok \ude00\ud83d',
  'https://user:pw@cdn.example/a/rock.png?token=s3cret#frag',
  'update (https://host/game.js?v=3:10:5)',
  'blob:https://user:pw@host/0b2c',
  'data:image/png;base64,AAAA',
  'img (DATA:image/png;base64,AA==)',
  'file:///home/alice/game/a.js?v=2:3:4',
  '/home/alice/My Games/rock.png',
  'load,/home/alice/a.png;~/b.png|c:\\Users\\alice\\c.png',
  '[/usr/lib/x86_64-linux-gnu/libc.so.6]',
  'C:\\Users\\alice\\game.exe',
  'load \\\\server\\share\\a.png',
  '~/secret/a.png',
  '/',
  'Foo:\\bar',
  'operator/(Vec, float)',
  'https://games.example/play/moonhop/.release/0198-ab/art/rock.png',
  'see HTTPS://User:pw@Host/.preview/0198.Sig/x.png?token=1',
];
const LONG_NAMES: readonly string[] = [
  'a'.repeat(1023),
  'a'.repeat(1024),
  'a'.repeat(1025),
  `${'a'.repeat(1023)}\ud83d\ude00`,
  '\u0001'.repeat(70_000),
  '€'.repeat(70_000),
];

test('every kind of record has the values of its call', { skip: noMono }, async (t) => {
  const file = join(temporaryFolder(t), 'game.vpt');
  writeFileSync(file, 'an older file '.repeat(1000));
  assert.deepEqual(runCsharp(program, ['records', file]), ['no error 0 False']);
  const [header, ...records] = linesOf(file);
  const { started_at, machine, ...rest } = header ?? {};
  assert.deepEqual(rest, {
    vpt: 1,
    producer: { name: 'VptWriter.cs', version: '1' },
    sources: ['native'],
    gpu: { name: 'Radeon "X"', software: false },
  });
  assert.ok(Math.abs(Date.parse(String(started_at)) - statSync(file).mtimeMs) < 60_000);
  assert.deepEqual(Object.keys(machine as object), ['cores']);

  const others = records.filter((record) => record['type'] !== 'frames');
  assert.deepEqual(others.map(withoutTimeOfCall), [
    { type: 'span', t: 20.125, duration_ms: 300.5, name: 'load level', track: 'loading' },
    { type: 'span', t: 0, duration_ms: 0, name: 'update' },
    { type: 'counter', name: 'score', unit: 'count', value: 1_234_567_890_123 },
    { type: 'counter', name: 'ratio', unit: '', value: 0.1 },
    { type: 'counter', name: 'small', unit: 'ms', value: -1.5e-7 },
    { type: 'counter', name: 'large', unit: 'count', value: Number.MAX_VALUE },
    { type: 'asset', id: 1, name: 'art/rock.png', kind: 'texture', phase: 'named', bytes: 4096 },
    {
      type: 'asset',
      t: 1.5,
      id: 1,
      name: 'art/rock.png',
      kind: 'texture',
      phase: 'load',
      bytes: 4096,
      duration_ms: 2.25,
      main_thread_ms: 0,
    },
    {
      type: 'asset',
      t: 4,
      id: 1,
      name: 'art/rock.png',
      kind: 'texture',
      phase: 'upload',
      bytes: 4096,
      gpu_bytes: 8192,
      duration_ms: 1.001,
      main_thread_ms: 1.001,
    },
    { type: 'release', id: 1, bytes: 0, gpu_bytes: 0 },
    { type: 'asset', id: 2, name: 'theme.ogg', kind: 'audio', phase: 'named' },
    { type: 'release', id: 2 },
    { type: 'mark', name: 'boss appears' },
    { type: 'span', name: 'turn' },
    { type: 'end', reason: 'level done' },
  ]);

  const frames = framesOf(records);
  const measured = frames[4]?.duration_ms ?? 0;
  assert.ok(measured >= 29, `a frame around a pause of 30 ms took ${measured} ms`);
  const unknown = { draws: null, triangles: null, gpu_ms: null, main_ms: null };
  assert.deepEqual(frames.slice(0, 5), [
    { t: 100, duration_ms: 16.667, draws: 120, triangles: 45_000, gpu_ms: 7.25, main_ms: 3.5 },
    { t: 116.667, duration_ms: 16.4, ...unknown },
    { t: 133.067, duration_ms: 33.333, ...unknown, draws: 0, main_ms: 0 },
    { t: 500, duration_ms: 16, ...unknown },
    { t: 516, duration_ms: measured, draws: 3, triangles: 4, gpu_ms: 1, main_ms: 2 },
  ]);
  assert.deepEqual(frames.slice(5), [{ t: frames[5]?.t, duration_ms: 5, ...unknown }]);

  const model = modelOf(file);
  assert.deepEqual(
    [...(model.frames[0]?.duration_ms ?? [])].slice(0, 4),
    [16.667, 16.4, 33.333, 16],
  );
  await check(t, file);
});

test('names are cleaned, cut and escaped as the format requires', { skip: noMono }, async (t) => {
  const folder = temporaryFolder(t);
  const [file, input] = [join(folder, 'game.vpt'), join(folder, 'names.txt')];
  const all = [...NAMES, ...LONG_NAMES];
  writeFileSync(input, all.map(hexOf).join('\n'));
  assert.deepEqual(runCsharp(program, ['names', file, input]), ['0']);
  const records = linesOf(file).slice(1);
  const names = all.map((name) => cleanName(cut(name)));
  const named = (type: string, key = 'name') =>
    records.filter((record) => record['type'] === type).map((record) => record[key]);
  assert.deepEqual(named('mark'), [...names, '']);
  assert.deepEqual(
    named('span', 'track'),
    names.map((name, i) => (all[i] === '' ? undefined : name)),
  );
  assert.deepEqual(named('counter', 'unit'), names);
  assert.deepEqual(named('asset'), names);
  await check(t, file);
});

test('numbers and times do not depend on the locale', { skip: noMono }, async (t) => {
  const file = join(temporaryFolder(t), 'game.vpt');
  assert.deepEqual(runCsharp(program, ['locale', file]), ['minus1234,5']);
  const [ratio, small, frames] = linesOf(file).slice(1);
  assert.equal(ratio?.['value'], -1234.5);
  assert.equal(small?.['value'], -2.5e-9);
  assert.deepEqual([frames?.['t'], frames?.['duration_ms']], [1.5, [16.25]]);
  await check(t, file);
});

test('records of many threads are written or counted as lost', { skip: noMono }, async (t) => {
  const file = join(temporaryFolder(t), 'game.vpt');
  const [output = ''] = runCsharp(program, ['threads', file]);
  const [calls, lost] = output.split(' ').map(Number);
  let [written, losses] = [0, 0];
  for (const record of linesOf(file).slice(1)) {
    if (record['type'] === 'frames') written += (record['duration_ms'] as number[]).length;
    else if (record['type'] !== 'loss') written += 1;
    else {
      losses += record['count'] as number;
      assert.equal(record['reason'], 'buffer_full');
    }
  }
  assert.equal(losses, lost);
  assert.equal(written - 1 + losses, calls);
  await check(t, file);
});

test('a full disk ends the trace, and not the program', { skip: noMono }, () => {
  assert.match(runCsharp(program, ['full', '/dev/full'])[0] ?? '', /^False .+/);
});

test('after a failed write the file has whole lines', { skip: noMono }, (t) => {
  const folder = temporaryFolder(t);
  // The shell limits the size of files to 64 KiB, and the write that exceeds it fails.
  const limited = `trap '' XFSZ; ulimit -f 64; exec mono ${program} full-file ${folder}/game.vpt`;
  const output = execFileSync('bash', ['-c', limited], { encoding: 'utf8' });
  assert.match(output, /^False .+/m);
  assert.ok(linesOf(join(folder, 'game.vpt')).length > 100);
});

test('a file in a missing folder gives an error and no exception', { skip: noMono }, (t) => {
  const file = join(temporaryFolder(t), 'missing/game.vpt');
  assert.match(runCsharp(program, ['full', file])[0] ?? '', /^False .+/);
  assert.equal(existsSync(file), false);
});

test('a killed program leaves whole lines but the last', { skip: noMono }, async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'game.vpt');
  const child = startCsharp(t, program, ['endless', file]);
  await until(
    () => sizeOf(file),
    (size) => size > 20_000,
  );
  child.kill('SIGKILL');
  await once(child, 'close');
  const model = modelOf(file);
  assert.equal(model.end, null);
  const steps = [...(model.counters[0]?.value ?? [])];
  assert.ok(steps.length > 100);
  assert.deepEqual(steps, [...steps.keys()]);
  const copy = join(folder, 'copy.vpt');
  copyFileSync(file, copy);
  await check(t, copy);
});

test('a program that follows the file sees whole lines while the game runs', {
  skip: noMono,
}, async (t) => {
  const file = join(temporaryFolder(t), 'game.vpt');
  startCsharp(t, program, ['endless', file]);
  for (let size = 0, seen = 0; seen < 5; seen++) {
    const before = size;
    await until(
      () => sizeOf(file),
      (now) => now > before,
    );
    const text = readFileSync(file, 'utf8');
    assert.ok(text.endsWith('\n'));
    size = Buffer.byteLength(text);
  }
});

test('calls return and allocate nothing while the disk does not accept a byte', {
  skip: noMono,
}, async (t) => {
  const fifo = join(temporaryFolder(t), 'fifo');
  execFileSync('mkfifo', [fifo]);
  const reader = spawn('bash', ['-c', 'exec sleep 300 < "$0"', fifo], { stdio: 'ignore' });
  t.after(() => reader.kill('SIGKILL'));
  const [counts, error] = await outputOf(startCsharp(t, program, ['slow', fifo]));
  // 500,000 rounds of five calls. The first call of Frame writes nothing.
  assert.equal(counts, '2499999 0');
  assert.equal(error, 'The disk did not accept the end of the trace in time.');
});

async function outputOf(child: ChildProcess): Promise<string[]> {
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return output.trimEnd().split('\n');
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

async function check(t: TestContext, file: string): Promise<void> {
  const { code, stdout, stderr } = await runSvc(t, ['trace', 'check', file]);
  assert.equal(code, 0, stdout + stderr);
}

function modelOf(file: string) {
  const builder = new TraceModelBuilder();
  const reader = new VptReader(builder);
  reader.push(readFileSync(file));
  reader.finish();
  return builder.snapshot();
}

/** A record without the times that no test knows: the time of the call, and how long the span `turn` lasted. */
function withoutTimeOfCall(record: Record<string, unknown>): Record<string, unknown> {
  const { t, duration_ms, ...rest } = record;
  return duration_ms === undefined || record['name'] === 'turn'
    ? rest
    : { t, duration_ms, ...rest };
}

function hexOf(name: string): string {
  return [...Array(name.length).keys()]
    .map((i) => name.charCodeAt(i).toString(16).padStart(4, '0'))
    .join('');
}

/** A name as the writer cuts it: 1,024 UTF-16 units, without half of a pair at the end. */
function cut(name: string): string {
  return name.length > 1024 ? name.slice(0, 1024).replace(/[\ud800-\udbff]$/, '') : name;
}
