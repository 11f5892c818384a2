// The numbers that games pass, and the integers that a trace accepts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOf, whole } from './whole.ts';

test('whole truncates as a browser does, and returns 0 for values that are not numbers', () => {
  assert.deepEqual(
    [200.7, -3.9, '300', Number.NaN, Number.POSITIVE_INFINITY, 1e300, 'a', null, 7n, -0.2].map(
      whole,
    ),
    [200, -3, 300, 0, 0, 0, 0, 0, 0, 0],
  );
});

test('countOf returns an integer that the format accepts', () => {
  assert.deepEqual([7.5, -2, 6e19, Number.POSITIVE_INFINITY].map(countOf), [
    7,
    0,
    Number.MAX_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER,
  ]);
});
