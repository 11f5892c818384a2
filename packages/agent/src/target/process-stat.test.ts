import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasExited, parseProcessStat, parseResidentPages } from './process-stat.ts';

const AFTER_NAME =
  'S 1 10 10 0 -1 4194304 100 0 0 0 250 50 7 3 20 0 4 0 140669 1000000 500 18446744073709551615';

test('parseProcessStat counts fields from the last parenthesis, whatever the name contains', () => {
  for (const name of ['game', 'a b', 'x) S 99 (y', '((', '']) {
    const stat = parseProcessStat(`77 (${name}) ${AFTER_NAME}\n`);
    const numbers = { parent: 1, cpuTicks: 300, threads: 4, startTicks: 140_669 };
    assert.deepEqual(stat, { name, state: 'S', ...numbers });
  }
});

test('parseProcessStat: missing fields are 0', () => {
  const { name, state, ...numbers } = parseProcessStat('7 (game) Z 1');
  assert.deepEqual([name, state], ['game', 'Z']);
  assert.deepEqual(numbers, { parent: 1, cpuTicks: 0, threads: 0, startTicks: 0 });
  assert.equal(parseResidentPages('12'), 0);
});

test('hasExited: a zombie without other threads, but not a process whose main thread has ended', () => {
  const stat = parseProcessStat(`77 (game) ${AFTER_NAME}`);
  assert.equal(hasExited(stat), false);
  assert.equal(hasExited({ ...stat, state: 'Z', threads: 2 }), false);
  assert.equal(hasExited({ ...stat, state: 'Z', threads: 1 }), true);
  assert.equal(hasExited({ ...stat, state: 'X', threads: 0 }), true);
});

test('parseResidentPages: the second number', () => {
  assert.equal(parseResidentPages('1000 309 20 1 0 99 0\n'), 309);
});
