// The summary: bounded, stable, most important first, and free of what must not leave the machine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../model/build-model.ts';
import { traceFromText } from '../testing/trace-from-text.ts';
import { privateName } from './private-model.ts';
import { SUMMARY_BYTES, summarizeTrace } from './summarize-trace.ts';

const SECRETS =
  /alice|hunter2|s3cret|cdn\.example|\/home|C:\\|Users|--token|PATH=\/|geheim|session=|laptop/;

test('summarizeTrace names causes first and says what a trace holds', () => {
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
    'boss.png held frames up',
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

test('summarizeTrace stays within its bytes, cuts between records and tells what it left out', () => {
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
  assert.match(summary.text, /Left out for room: /);
  assert.ok(
    summary.text.split('\n').every((line) => line === '' || /^(?:## |- |Left out)/.test(line)),
  );
  assert.deepEqual(summarizeTrace(model), summary);
});

test('summarizeTrace holds nothing private, wherever a name stands', () => {
  const names = [
    '/home/alice/My Games/rock.png',
    'C:\\Users\\alice\\rock.png',
    'https://alice:hunter2@cdn.example/rock.png?session=s3cret#x',
    'PATH=/home/alice/bin',
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

test('privateName takes out what is private, however it is written, and never takes long', () => {
  for (const name of ODDLY_WRITTEN) assert.doesNotMatch(privateName(name), SECRETS, name);
  for (const part of ['\\', '/', '\\/', '/home', '/home/', '~a/', '?a', 'a@b:', '-', 'data:a/']) {
    assert.ok(privateName(part.repeat(2000)).length <= 161);
  }
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
  ]) {
    assert.equal(privateName(name), name);
  }
});

test('privateName keeps what a game developer needs', () => {
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
