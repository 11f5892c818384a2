// V8 CPU profiles as Chrome and Node write them, and broken ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { StacksRecord } from '../format/records.ts';
import { modelOf } from '../model/build-model.ts';
import { formatDecimal } from '../stacks/exact-column.ts';
import { pathOf } from '../stacks/stack-tree.ts';
import { weighWindow } from '../stacks/weigh-window.ts';
import { readVpt } from '../vpt/read-vpt.ts';
import { CpuProfileConverter } from './convert-cpuprofile.ts';

type Node = { id: unknown; callFrame?: unknown; parent?: unknown; children?: unknown[] };
const call = (functionName: string, url = '', lineNumber = 0, columnNumber = 0) => ({
  functionName,
  url,
  lineNumber,
  columnNumber,
});
const GAME = 'https://cdn.example/games/game.js?v=3';
const NODES: Node[] = [
  { id: 1, callFrame: call('(root)'), children: [2, 3, 4, 5] },
  { id: 2, callFrame: call('(idle)') },
  { id: 3, callFrame: call('(program)') },
  { id: 4, callFrame: call('(garbage collector)') },
  { id: 5, callFrame: call('frame', GAME, 11, 4), children: [6, 7] },
  { id: 6, callFrame: call('step', 'wasm://wasm/physics-0a1b2c3d', 0, 321) },
  { id: 7, callFrame: call('now') },
];

function profile(parts: Record<string, unknown>): string {
  return JSON.stringify({ nodes: NODES, startTime: 1000, endTime: 2000, ...parts });
}

function convert(text: string, size = text.length) {
  let vpt = '';
  const converter = new CpuProfileConverter((line) => {
    vpt += line;
  });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) converter.push(bytes.subarray(at, at + size));
  const conversion = converter.finish();
  const { header, lines } = readVpt(new TextEncoder().encode(vpt));
  const stacks = lines.filter((line): line is StacksRecord => line.type === 'stacks');
  return { vpt, conversion, header, lines, stacks };
}

/** Each stack with weight as `frames ms`. */
function stacksIn(text: string, from = 0, to = Number.POSITIVE_INFINITY): string[] {
  const [stacks] = modelOf(text).stacks;
  assert.ok(stacks?.times);
  const tree = weighWindow(stacks.tree, stacks.times, from, to);
  return Array.from({ length: tree.length }, (_, node) => node)
    .filter((node) => tree.self.at(node) !== 0)
    .map((node) => {
      const path = pathOf(tree, node).map((frame) => tree.frames.text(frame));
      return `${path.join(';')} ${formatDecimal(tree.self.at(node), tree.decimals)}`;
    });
}

test('each sample lasts until the next one, and idle time is not written', () => {
  const { stacks, conversion, header, lines } = convert(
    profile({ samples: [5, 6, 2, 7, 4, 3], timeDeltas: [100, 50, 25, 300, 5, 20] }),
  );
  const [record] = stacks;
  assert.equal(stacks.length, 1);
  assert.deepEqual(record?.samples, {
    node: [0, 1, 2, 3, 4],
    weight: [50, 25, 5, 20, 500],
    at_ms: [0, 0.05, 0.375, 0.38, 0.4],
  });
  assert.deepEqual(
    [record?.t, record?.duration_ms, record?.unit, record?.scale],
    [0.1, 0.9, 'ms', 1000],
  );
  assert.deepEqual(record?.names, [
    'frame game.js:12',
    'step physics',
    'now',
    '(garbage collector)',
    '(program)',
  ]);
  assert.deepEqual(record?.places, [
    'https://cdn.example/games/game.js:12:5',
    'wasm://wasm/physics-0a1b2c3d:1:322',
    '',
    '',
    '',
  ]);
  assert.deepEqual(record?.categories, ['js', 'wasm', '', 'gc', 'program']);
  assert.deepEqual(conversion, { torn: false, unreadable: 0 });
  assert.deepEqual([header.sources, header.started_at], [['import'], null]);
  assert.deepEqual(lines.at(-1), { type: 'end', t: 0, reason: 'converted' });
});

test('a window contains exactly the time of the samples in it', () => {
  const text = profile({ samples: [5, 6, 2, 5], timeDeltas: [0, 200, 300, 100], endTime: 1700 });
  const all = ['frame game.js:12_[S] 0.3', 'frame game.js:12_[S];step physics_[W] 0.3'];
  assert.deepEqual(stacksIn(text), all);
  assert.deepEqual(stacksIn(text, 0.1, 0.3), [
    'frame game.js:12_[S] 0.1',
    'frame game.js:12_[S];step physics_[W] 0.1',
  ]);
  assert.deepEqual(stacksIn(text, 0.5, 0.6), []);
});

test('samples stored late are sorted by their time', () => {
  const { stacks } = convert(
    profile({ samples: [5, 6, 7, 5], timeDeltas: [100, 100, -50, 100], endTime: 1300 }),
  );
  assert.deepEqual(stacks[0]?.samples, {
    node: [0, 1, 2, 0],
    weight: [50, 50, 50, 50],
    at_ms: [0, 0.05, 0.1, 0.15],
  });
  const early = convert(profile({ samples: [5, 6], timeDeltas: [-900, 950], endTime: 1100 }));
  assert.deepEqual(early.stacks[0]?.samples.at_ms, [0, 0.05]);
});

test('names are stable and readable, and distinguish the functions of a minified script', () => {
  const names = (url: string, line: number, column: number, name = 'f') => {
    const nodes = [{ id: 1, callFrame: call(name, url, line, column) }];
    const [record] = convert(profile({ nodes, samples: [1], timeDeltas: [0] })).stacks;
    return [record?.names[0], record?.places?.[0]];
  };
  assert.deepEqual(names('https://h/a/b.js', 0, 4710), [
    'f b.js:1:4711',
    'https://h/a/b.js:1:4711',
  ]);
  assert.deepEqual(names('https://h/b.js', 3, 300), ['f b.js:4:301', 'https://h/b.js:4:301']);
  assert.deepEqual(names('https://h/b.js', 3, 30, ''), [
    '(anonymous) b.js:4',
    'https://h/b.js:4:31',
  ]);
  assert.deepEqual(names('https://me:pw@h/b.js?key=1#x', 3, 3), ['f b.js:4', 'https://h/b.js:4:4']);
  assert.deepEqual(names('file:///home/me/game/b.js', 3, 3), ['f b.js:4', 'b.js:4:4']);
  assert.deepEqual(names('/home/me/b.js', 3, 3), ['f b.js:4', 'b.js:4:4']);
  assert.deepEqual(names('https://h/', 3, 3), ['f h:4', 'https://h/:4:4']);
  assert.deepEqual(names('blob:https://h/0-1', 3, 3)[0], 'f blob:4');
  assert.deepEqual(names('wasm://wasm/0a1b2c3d', 0, 9)[0], 'f wasm-0a1b2c3d');
  assert.deepEqual(names('https://h/b.js', -1, Number.MAX_VALUE), [
    'f b.js:1:1',
    'https://h/b.js:1:1',
  ]);
  assert.deepEqual(names('https://h/b.js', 3, 3, 'at /home/me/x.js ok')[0], 'at x.js ok b.js:4');
});

test('unknown nodes, missing parents, cycles and doubled ids do not stop the conversion', () => {
  const nodes: Node[] = [
    { id: 1, callFrame: call('a'), parent: 3 },
    { id: 2, callFrame: call('b'), parent: 1 },
    { id: 3, callFrame: call('c'), parent: 2 },
    { id: 4, callFrame: call('d'), parent: 99 },
    { id: 4, callFrame: call('again') },
    { id: 'x', callFrame: call('no number') },
    { id: 5, callFrame: call('self'), parent: 5 },
    { id: 6 },
  ];
  const text = profile({
    nodes,
    samples: [2, 4, 77, 5, 6, 'y'],
    timeDeltas: [0, 10, 10, 10, 10, 10],
  });
  assert.deepEqual(stacksIn(text), ['c;a;b 0.01', 'd 0.02', 'self 0.01', '(anonymous) 0.96']);
  const { conversion, lines } = convert(text);
  assert.equal(conversion.unreadable, 4, 'two nodes and two samples');
  assert.deepEqual(
    lines.find(({ type }) => type === 'loss'),
    { type: 'loss', t: 0, reason: 'unreadable_events', count: 4 },
  );
});

test('huge and missing numbers give a valid trace', () => {
  for (const parts of [
    { samples: [5, 6], timeDeltas: [0, 1e300] },
    { samples: [5, 6], timeDeltas: [0, 'x'] },
    { samples: [5, 6, 6], timeDeltas: [1] },
    { samples: [5, 6], timeDeltas: [0, 9e15], endTime: 1e18 },
    { samples: [5], timeDeltas: [0.4], startTime: 'x', endTime: null },
    { samples: [5, 5], timeDeltas: [1e-9, 7.7], startTime: -5e15 },
  ]) {
    const { stacks } = convert(profile(parts));
    assert.ok(stacks.length > 0, JSON.stringify(parts));
  }
});

test('a file that ends in the middle gives what was before, without an end', () => {
  const text = profile({ samples: [5, 6, 7], timeDeltas: [0, 100, 100] });
  const cut = text.slice(0, text.lastIndexOf('100'));
  const { conversion, lines, stacks } = convert(cut);
  assert.equal(conversion.torn, true);
  assert.equal(stacks[0]?.samples.node.length, 2);
  assert.notEqual(lines.at(-1)?.type, 'end');
});

test('a profile without timed samples is rejected with the reason', () => {
  const rejects = (text: string, message: RegExp) => {
    let emitted = '';
    const converter = new CpuProfileConverter((line) => {
      emitted += line;
    });
    converter.push(new TextEncoder().encode(text));
    assert.throws(() => converter.finish(), { name: 'TraceError', code: 'not_a_profile', message });
    assert.equal(emitted, '');
  };
  rejects(profile({}), /no samples with times .*Record it again/);
  rejects(profile({ samples: [5] }), /no samples with times/);
  rejects(profile({ samples: [5], timeDeltas: [0] }).slice(0, 60), /ends before its first samples/);
  rejects('{"head":{"functionName":"(root)"},"samples":[1]}', /before version 58/);
  rejects(profile({ samples: [2, 2], timeDeltas: [0, 1] }), /always idle/);
});

test('the same bytes in any chunks give the same trace', () => {
  const text = profile({ samples: [5, 6, 2, 7], timeDeltas: [1, 2, 3, 4] });
  const whole = convert(text).vpt;
  for (const size of [1, 2, 13, 64]) assert.equal(convert(text, size).vpt, whole);
});

test('a long profile is written in records of at most a second, with the same sums', () => {
  const count = 20_000;
  const samples = Array.from({ length: count }, (_, i) => [5, 6, 7][i % 3]);
  const timeDeltas = Array.from({ length: count }, () => 200);
  const { stacks } = convert(profile({ samples, timeDeltas, startTime: 0, endTime: 4_000_200 }));
  assert.ok(stacks.length >= 4);
  assert.ok(stacks.every(({ duration_ms = 0 }) => duration_ms <= 1000.2));
  const sum = stacks
    .flatMap((record) => record.samples.weight)
    .reduce((all: number, one) => all + Number(one), 0);
  assert.equal(sum, 4_000_000);
});

/** A simple reference: the time of each function in a window, by searching all samples. */
function plainWindow(ids: number[], deltas: number[], end: number, from: number, to: number) {
  let clock = 0;
  const timed = ids
    .map((id, i) => {
      clock += deltas[i] ?? 0;
      return { id, at: Math.max(0, clock) };
    })
    .sort((a, b) => a.at - b.at);
  const sums = new Map<number, number>();
  timed.forEach(({ id, at }, i) => {
    const until = timed[i + 1]?.at ?? Math.max(at, end);
    const part = Math.min(until, to) - Math.max(at, from);
    if (part > 0 && id !== 2) sums.set(id, (sums.get(id) ?? 0) + part);
  });
  return sums;
}

test('the time of each function in any window equals that of a simple reference', () => {
  const nodes = [2, 3, 4, 5].map((id) => ({ id, callFrame: call(id === 2 ? '(idle)' : `f${id}`) }));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(2, 3, 4, 5), fc.integer({ min: -300, max: 900 })), {
        minLength: 1,
        maxLength: 40,
      }),
      fc.nat(20_000),
      fc.nat(20_000),
      (rows, from, length) => {
        const ids = rows.map(([id]) => id);
        const deltas = rows.map(([, delta]) => delta);
        if (ids.every((id) => id === 2)) return;
        const text = profile({
          nodes,
          samples: ids,
          timeDeltas: deltas,
          startTime: 5e6,
          endTime: 5e6 + 9000,
        });
        const expected = plainWindow(ids, deltas, 9000, from, from + length);
        assert.deepEqual(
          stacksIn(text, from / 1000, (from + length) / 1000).toSorted(),
          [...expected].map(([id, us]) => `f${id} ${formatDecimal(us, 3)}`).toSorted(),
        );
      },
    ),
    { numRuns: 300 },
  );
});
