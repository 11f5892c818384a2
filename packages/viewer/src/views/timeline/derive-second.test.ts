import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, stacksAt } from '../../../test/build-trace.ts';
import { deriveSecond } from './derive-second.ts';

const load = (t: number, name: string, duration_ms: number) =>
  ({ type: 'asset', t, id: name, name, kind: 'texture', phase: 'load', duration_ms }) as const;

test('the assets and functions of a second are listed, the most first', () => {
  const known = { names: [], nodes: [] };
  const model = modelOf(
    load(100, 'short.png', 10),
    load(900, 'long.png', 600),
    load(2500, 'later.png', 900),
    stacksAt(0, 1000, [['main;old', 9]], known),
    stacksAt(
      1000,
      1000,
      [
        ['main;draw', 30],
        ['main;update', 10],
      ],
      known,
    ),
  );
  const second = deriveSecond(model, { from: 1000, to: 2000 });
  assert.deepEqual(second.assets, [{ name: 'long.png', phase: 'load', within_ms: 500 }]);
  assert.equal(second.assetCount, 1);
  assert.deepEqual(
    second.functions.map(({ name, self, share }) => [name, self, share]),
    [
      ['draw', 30, 0.75],
      ['update', 10, 0.25],
    ],
  );
  assert.deepEqual([second.functionCount, second.unit], [2, 'ms']);
  assert.deepEqual(second.range, { from: 1000, to: 2000 });
});

test('a second has the memory at its end, with the change in it', () => {
  const model = modelOf(
    { type: 'process', t: 0, rss_bytes: 100, cpu_percent: 5 },
    { type: 'process', t: 1000, rss_bytes: 130, cpu_percent: 5 },
    { type: 'counter', t: 1000, name: 'js_heap_bytes', unit: 'bytes', value: 7 },
  );
  const { memory } = deriveSecond(model, { from: 0, to: 1000 });
  assert.deepEqual(
    memory.map(({ label, bytes, change }) => [label, bytes, change]),
    [
      ['RSS', 130, 30],
      ['JS heap', 7, null],
    ],
  );
});

test('at most five of each are listed, and all are counted', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const model = modelOf(
    ...names.map((name, index) => load(index, name, 10 + index)),
    stacksAt(
      0,
      1000,
      names.map((name, index) => [`main;${name}`, index + 1] as const),
    ),
  );
  const second = deriveSecond(model, { from: 0, to: 1000 });
  const first = ['g', 'f', 'e', 'd', 'c'];
  assert.deepEqual(
    second.assets.map(({ name }) => name),
    first,
  );
  assert.deepEqual(
    second.functions.map(({ name }) => name),
    first,
  );
  assert.deepEqual([second.assetCount, second.functionCount], [7, 7]);
});

test('a second without anything has empty lists', () => {
  const model = modelOf(load(0, 'a.png', 10), stacksAt(0, 1000, [['main;a', 1]]));
  const { assets, functions, assetCount, functionCount } = deriveSecond(model, {
    from: 5000,
    to: 6000,
  });
  assert.deepEqual([assets, functions, assetCount, functionCount], [[], [], 0, 0]);
});
