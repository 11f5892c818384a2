// Functions of two traces, joined by name, and the order of the changes of their shares.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { compareFunctions } from './compare-functions.ts';

const stacksOf = (text: string) => modelOf(text).stacks;
const percent = (share: number): number => Math.round(share * 1000) / 10;

function compared(before: string, after: string) {
  return compareFunctions(stacksOf(before), stacksOf(after)).flatMap(({ changes }) =>
    changes.map(({ old_name, name, state, self_before, self_after, change }) =>
      [
        ...(old_name === null ? [] : [`${old_name} →`]),
        ...[name, state, percent(self_before), percent(self_after), percent(change)],
      ].join(' '),
    ),
  );
}

test('compareFunctions compares self shares, the largest rise first, the largest fall last', () => {
  assert.deepEqual(compared('m;a 5\nm;b 3\nm;c 2\n', 'm;b 12\nm;a 4\nm;e 2\nm;d 2\n'), [
    'b kept 30 60 30',
    'd new 0 10 10',
    'e new 0 10 10',
    'c gone 20 0 -20',
    'a kept 50 20 -30',
  ]);
});

test('compareFunctions adds up a function with several callers', () => {
  assert.deepEqual(compared('m;a 1\nn;a 1\nb 2\n', 'a 1\nb 3\n'), [
    'b kept 50 75 25',
    'a kept 50 25 -25',
  ]);
});

test('compareFunctions joins a function whose line or content hash has changed, if it is the only one', () => {
  assert.deepEqual(compared('f g.js:12 1\nh 1\n', 'f g.js:14 3\nh 1\n'), [
    'f g.js:12 → f g.js:14 kept 50 75 25',
    'h kept 50 25 -25',
  ]);
  assert.deepEqual(compared('t m.js:1:40 1\nh 1\n', 't m.js:1:52 1\nh 1\n'), [
    'h kept 50 50 0',
    't m.js:1:40 → t m.js:1:52 kept 50 50 0',
  ]);
  assert.deepEqual(compared('t m.3f9ab2c1.js:1:40 1\n', 't m.77ab01de.js:1:52 1\n'), [
    't m.3f9ab2c1.js:1:40 → t m.77ab01de.js:1:52 kept 100 100 0',
  ]);
  assert.deepEqual(compared('f g.js:1 1\nf g.js:2 1\n', 'f g.js:3 1\n'), [
    'f g.js:3 new 0 100 100',
    'f g.js:1 gone 50 0 -50',
    'f g.js:2 gone 50 0 -50',
  ]);
});

test('compareFunctions joins by the name without its line before it leaves out the content hash', () => {
  const before = 'f m.3f9ab2c1.js:1 1\nf m.77ab01de.js:1:9 3\n';
  assert.deepEqual(compared(before, 'f m.77ab01de.js:2:10 1\nf m.10ab22cc.js:2 1\n'), [
    'f m.3f9ab2c1.js:1 → f m.10ab22cc.js:2 kept 25 50 25',
    'f m.77ab01de.js:1:9 → f m.77ab01de.js:2:10 kept 75 50 -25',
  ]);
  assert.deepEqual(compared('f w:1 g.js:3 1\n', 'f w:2 g.js:3 1\n'), [
    'f w:2 g.js:3 new 0 100 100',
    'f w:1 g.js:3 gone 100 0 -100',
  ]);
});

test('compareFunctions joins by the whole name before it joins by a part', () => {
  assert.deepEqual(compared('f g.js:1 1\nf g.js:2 3\n', 'f g.js:2 1\nf g.js:9 1\n'), [
    'f g.js:1 → f g.js:9 kept 25 50 25',
    'f g.js:2 kept 75 50 -25',
  ]);
});

test('compareFunctions never joins functions of another category', () => {
  assert.deepEqual(compared('f_[k] 1\n', 'f 1\n'), ['f new 0 100 100', 'f gone 100 0 -100']);
});

const trace = (...lines: string[]): string => traceFromText(`native browser\n${lines.join('\n')}`);

test('compareFunctions pairs stacks by source and unit, then by unit, then the only ones left', () => {
  const pairs = (before: string, after: string) =>
    compareFunctions(stacksOf(before), stacksOf(after)).map(
      ({ source, unit_before, unit_after, samples_before, samples_after, changes }) =>
        `${source} ${unit_before} ${unit_after} ${samples_before} ${samples_after} ${changes.map(({ name }) => name)}`,
    );
  const native = '0 native:stacks n 1 | n;o 1';
  const browser = '0 browser:stacks b 1000@0';
  const counted = '0 browser:stacks b 1';
  assert.deepEqual(pairs(trace(native, browser), trace(browser, native)), [
    'browser ms ms 1 1 b',
    'native samples samples 2 2 n,o',
  ]);
  assert.deepEqual(pairs(trace(native, counted), trace(counted, native)), [
    'browser samples samples 1 1 b',
    'native samples samples 2 2 n,o',
  ]);
  assert.deepEqual(pairs(trace(native, browser), trace(counted, '0 native:stacks c 1000@0')), [
    'browser samples samples 2 1 b,n,o',
    'native ms ms 1 1 c,b',
  ]);
  assert.deepEqual(pairs('f 1\n', trace(native, browser)), []);
  assert.deepEqual(pairs(trace(native), trace(counted)), ['browser samples samples 2 1 b,n,o']);
  assert.deepEqual(pairs(trace(native), trace(browser)), ['browser samples ms 2 1 b,n,o']);
  assert.deepEqual(pairs(trace(native, browser), 'f 1\n'), []);
  assert.deepEqual(pairs(trace(native), trace('0 native:mark m')), []);
});

test('compareFunctions has no shares of stacks whose weight is not above 0', () => {
  assert.deepEqual(compared('a 1\nb -1\n', 'a 1\n'), ['a new 0 100 100']);
  assert.deepEqual(compared('a 0\n', 'a 0\n'), []);
});
