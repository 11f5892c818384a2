// The summary: limited in size, the same for the same trace, most important first, without private data.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../model/build-model.ts';
import { traceFromText } from '../testing/trace-from-text.ts';
import { privateModel, privateName } from './private-model.ts';
import { SUMMARY_BYTES, summarizeTrace } from './summarize-trace.ts';

const SECRETS =
  /alice|hunter2|s3cret|cdn\.example|\/home|C:\\|Users|--token|PATH=\/|geheim|session=|laptop/;

test('summarizeTrace lists causes first, then the contents of the trace', () => {
  const { text, left_out } = summarizeTrace(
    modelOf(
      traceFromText(`browser
        0 frames 16.7*100 90 16.7*600
        1675 asset 1 boss.png texture decode duration_ms=80 main_thread_ms=80
        1680 mark boss
        9000 loss buffer_full 5
      `),
    ),
  );
  const order = [
    '## recording',
    'boss.png delayed frames by',
    '## frames',
    '## slowest frames',
    '## assets',
    '## losses',
    '## marks',
  ];
  const at = order.map((part) => text.indexOf(part));
  assert.deepEqual(
    at.toSorted((a, b) => a - b),
    at,
    text,
  );
  assert.ok(!at.includes(-1), text);
  assert.deepEqual(left_out, []);
});

test('summarizeTrace does not exceed its limit, omits whole records, and lists what it left out', () => {
  const assets = Array.from(
    { length: 400 },
    (_, i) =>
      `${i} asset ${i} größe-${'ß'.repeat(100)}-${i}.png texture decode duration_ms=${i} main_thread_ms=${i}`,
  );
  const marks = Array.from({ length: 2000 }, (_, i) => `${i} mark 描画-${i}`);
  const model = modelOf(
    traceFromText(['browser', '0 frames 16.7*50 300*40', ...assets, ...marks].join('\n')),
  );
  const summary = summarizeTrace(model);
  const bytes = new TextEncoder().encode(summary.text).length;
  assert.equal(bytes, summary.bytes);
  assert.ok(bytes <= SUMMARY_BYTES && bytes > SUMMARY_BYTES * 0.8, `${bytes}`);
  assert.ok(summary.left_out.some(({ part, count }) => part === 'marks and spans' && count > 0));
  assert.match(summary.text, /Left out: /);
  assert.ok(
    summary.text.split('\n').every((line) => line === '' || /^(?:## |- |Left out)/.test(line)),
  );
  assert.deepEqual(summarizeTrace(model), summary);
});

test('summarizeTrace contains no private names', () => {
  const names = [
    '/home/alice/My Games/rock.png',
    'C:\\Users\\alice\\rock.png',
    'https://alice:hunter2@cdn.example/rock.png?session=s3cret#x',
    'API_KEY=s3cret',
    'alice@laptop.lan',
    'process 811:"python game.py --token s3cret"',
    'fn (https://cdn.example/a.js?v=s3cret:1:2)',
  ];
  const lines = names.flatMap((name, i) => [
    {
      type: 'asset',
      t: i,
      id: i,
      name,
      kind: 'texture',
      phase: 'decode',
      duration_ms: 90,
      main_thread_ms: 90,
      gpu_bytes: 1e9,
      format: 'RGBA8',
    },
    { type: 'mark', t: i, name },
    { type: 'span', t: i, name, duration_ms: 5 },
    { type: 'longtask', t: i * 500, duration_ms: 300, scripts: [{ name, duration_ms: 300 }] },
    { type: 'log', t: i, level: 'info', text: 'geheim' },
    { type: 'counter', t: i, name, unit: name, value: 1 },
    { type: 'loss', t: 20_000 + i, reason: name, duration_ms: 1 },
  ]);
  const stacks = {
    type: 'stacks',
    t: 0,
    first_name: 0,
    names,
    first_node: 0,
    parents: names.map((_, i) => i - 1),
    node_names: names.map((_, i) => i),
    samples: { node: names.map((_, i) => i), weight: names.map(() => 100) },
    unit: 'samples',
  };
  const header = {
    vpt: 1,
    producer: { name: 'x', version: '1' },
    started_at: null,
    sources: ['browser'],
    target: { pid: 7, name: 'alice-game', started_at: null },
  };
  const frames = { type: 'frames', t: 0, duration_ms: Array.from({ length: 200 }, () => 50) };
  const text = [header, frames, stacks, ...lines]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
  const summary = summarizeTrace(modelOf(text)).text;
  assert.match(summary, /rock\.png/);
  assert.doesNotMatch(summary, SECRETS);
});

test('summarizeTrace masks the names of every kind of record', () => {
  const secret = (place: string) => `${place}=s3cret`;
  const stacks = {
    type: 'stacks',
    t: 0,
    first_name: 0,
    names: [secret('FRAME')],
    first_node: 0,
    parents: [-1],
    node_names: [0],
    samples: { node: [0], weight: [100] },
    unit: secret('STACKS_UNIT'),
  };
  const lines = [
    {
      vpt: 1,
      producer: { name: 'x', version: '1' },
      started_at: null,
      sources: ['browser'],
      target: { pid: 7, name: secret('TARGET'), started_at: null },
    },
    { type: 'frames', t: 0, duration_ms: [...Array.from({ length: 300 }, () => 16), 400, 400] },
    stacks,
    {
      type: 'asset',
      t: 4800,
      id: 1,
      name: secret('ASSET'),
      kind: 'texture',
      phase: 'decode',
      duration_ms: 90,
      main_thread_ms: 90,
    },
    { type: 'mark', t: 1, name: secret('MARK') },
    { type: 'span', t: 2, name: secret('SPAN'), duration_ms: 5 },
    ...[1000, 3000, 5200].map((t) => ({
      type: 'longtask',
      t,
      duration_ms: 390,
      scripts: [{ name: secret('SCRIPT'), duration_ms: 390 }],
    })),
    { type: 'log', t: 3, level: 'info', text: secret('LOG') },
    { type: 'counter', t: 4, name: secret('COUNTER'), unit: secret('COUNTER_UNIT'), value: 1 },
    { type: 'loss', t: 9000, reason: secret('LOSS'), duration_ms: 500 },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const { text: summary } = summarizeTrace(modelOf(text));
  assert.doesNotMatch(summary, /s3cret/);
  assert.doesNotMatch(summary, /TARGET|LOG/, 'the name of the target and the logs are left out');
  const places = ['ASSET', 'MARK', 'SPAN', 'COUNTER', 'COUNTER_UNIT', 'FRAME', 'STACKS_UNIT'];
  for (const place of [...places, 'SCRIPT', 'LOSS']) {
    assert.ok(summary.includes(`${place}=…`), `${place} is named in the summary: ${summary}`);
  }
});

test('privateModel leaves out log texts and the name of the target', () => {
  const header = {
    vpt: 1,
    producer: { name: 'x', version: '1' },
    started_at: null,
    sources: ['browser'],
    target: { pid: 7, name: 'alice-game', started_at: null },
  };
  const log = { type: 'log', t: 1, level: 'info', text: 'geheim' };
  const text = [header, log].map((line) => `${JSON.stringify(line)}\n`).join('');
  const safe = privateModel(modelOf(text));
  assert.deepEqual(safe.logs, []);
  assert.equal(safe.header.target, undefined);
});

const ODDLY_WRITTEN = [
  'load /home/alice smith/rock.png',
  '€/home/alice/rock.png',
  '`/home/alice/rock.png`',
  '"\\/home\\/alice\\/rock.png"',
  'xC:\\Users\\alice\\rock.png',
  '-I/home/alice/include',
  'webpack-internal:///home/alice/game.js',
  '%2Fhome%2Falice%2Frock.png',
  'file%3A%2F%2F%2Fhome%2Falice%2Frock.png',
  '~alice/rock.png',
  'alice@laptop:~/rock.png',
  'alice@laptop:/srv/rock.png',
  'assets/rock.png?user=alice&token=s3cret',
  '?session=s3cret',
  'http:\\\\cdn.example\\rock.png?token=s3cret',
  'data:text/html,<b>alice</b>',
];

test('privateName removes private parts, however they are spelled, in linear time', () => {
  for (const name of ODDLY_WRITTEN) assert.doesNotMatch(privateName(name), SECRETS, name);
  for (const part of ['\\', '/', '\\/', '/home', '/home/', '~a/', '?a', 'a@b:', '-', 'data:a/']) {
    assert.ok(privateName(part.repeat(2000)).length <= 161);
  }
});

test('privateName masks only the private part of a name', () => {
  const rows: [string, string][] = [
    ['API_KEY=s3cret', 'API_KEY=…'],
    ['KEY=s3cret', 'KEY=…'],
    ['start API_KEY=s3cret now', 'start API_KEY=… now'],
    ['HOME=/root TOKEN=s3cret', 'HOME=… TOKEN=…'],
    ['process 811:"python game.py key"', 'process 811'],
    ['run --token s3cret now', 'run --token … now'],
    ['run --token=s3cret', 'run --token …'],
    ['-p s3cret', '-p …'],
    ['-I/srv/include', '-I …'],
    ['https://alice:hunter2@cdn.example/rock.png?session=s3cret#x', 'rock.png'],
    ['WSS:\\\\cdn.example/socket', 'socket'],
    ['ftp:/cdn.example/rock.png', 'rock.png'],
    ['postgres://alice:hunter2@db.example/game', 'game'],
    ['assets/rock.png?session=s3cret', 'assets/rock.png'],
    ['assets/rock.png%3Fsession=s3cret', 'assets/rock.png'],
    ['load /home/alice smith/rock.png', 'load rock.png'],
    ['€/srv/alice/rock.png', '€rock.png'],
    ['C%3A%5CUsers%5Calice%5Crock.png', 'rock.png'],
    ['%2Fhome%2Falice%2Frock.png', 'rock.png'],
    ['~alice/rock.png', 'rock.png'],
    [String.raw`"\/srv\/alice\/rock.png"`, '"rock.png"'],
    [String.raw`load \/srv\/alice\/rock.png`, 'load rock.png'],
    ['alice@laptop:~/rock.png', '(address):rock.png'],
    ['by alice@laptop.lan', 'by (address)'],
    ['by a@b.de and c_d@e.f', 'by (address) and (address)'],
    ['by alice@mail.example.co.uk now', 'by (address) now'],
    ['data:image/png;base64,s3cret', 'data:image/png'],
    ['a\u2028b\u0007c\nd', 'a b c d'],
  ];
  for (const [name, expected] of rows) assert.equal(privateName(name), expected, name);
});

test('privateName cuts a name at 160 characters, between characters', () => {
  assert.equal(privateName('x'.repeat(160)), 'x'.repeat(160));
  assert.equal(privateName('x'.repeat(161)), `${'x'.repeat(160)}…`);
  assert.equal(privateName(`${'x'.repeat(159)}\u{1F600}`), `${'x'.repeat(159)}\uFFFD…`);
});

test('privateName leaves relative names as they are', () => {
  for (const name of [
    './art/home/rock.png',
    '../users/list.json',
    'assets/home/button.png',
    'home/menu/button.png',
    'km/h',
    'Foo::~Foo()',
    'operator~/(Set)',
    'a ? b : c',
    'sprite#3',
    'lower=case',
    'x-y',
    'level 3: -1',
  ]) {
    assert.equal(privateName(name), name);
  }
});

test('privateName keeps the names that a game developer needs', () => {
  assert.equal(
    privateName('update (https://host.example/src/game.js?v=3:10:5)'),
    'update (src/game.js:10:5)',
  );
  assert.equal(
    privateName('std::vector<int, 3>::push_back(int const&)'),
    'std::vector<int, 3>::push_back(int const&)',
  );
  assert.equal(privateName('assets/rock@2x.png'), 'assets/rock@2x.png');
  assert.equal(privateName('operator-(Vec, Vec)'), 'operator-(Vec, Vec)');
});
