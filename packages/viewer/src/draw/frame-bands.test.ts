import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frameBands, frameToken } from './frame-bands.ts';

const tokens = (budget: number, ...times: number[]): string[] =>
  times.map((ms) => frameToken(frameBands(budget), ms));

test('a budget of 16.7 or 33.3 ms adds no band', () => {
  for (const budget of [1000 / 60, 16.7, 1000 / 30]) {
    assert.deepEqual(tokens(budget, 16.9, 20, 33.4, 60), [
      'frame-within',
      'frame-over',
      'frame-over',
      'frame-far',
    ]);
  }
});

test('another budget adds a limit below, between or above the fixed ones', () => {
  const all = ['frame-within', 'frame-near', 'frame-over', 'frame-far'];
  assert.deepEqual(tokens(8.33, 8, 16, 30, 40), all);
  assert.deepEqual(tokens(25, 16, 24, 33, 40), all);
  assert.deepEqual(tokens(50, 16, 33, 49, 60), all);
  assert.deepEqual(
    frameBands(25).map(({ upToMs }) => Math.round(upToMs)),
    [17, 25, 33, Number.POSITIVE_INFINITY],
  );
});
