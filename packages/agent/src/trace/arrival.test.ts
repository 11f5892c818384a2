// When a body of known length is given up, with a fake clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchArrival } from './arrival.ts';

const MB = 1e6;

/**
 * Sends `mbPerS[i]` in second i of 30, in ten chunks a second. Returns the second in which the body
 * was given up, or null.
 */
function givenUpAfter(expected: number | null, mbPerS: readonly number[]): number | null {
  let clock = 0;
  const arrival = watchArrival(expected, 30_000, () => clock);
  for (const [second, rate] of mbPerS.entries()) {
    for (let piece = 0; piece < 10; piece++) {
      clock += 100;
      try {
        arrival.take((rate * MB) / 10);
      } catch (error) {
        assert.ok(error instanceof Error && 'code' in error);
        assert.equal(error.code, 'request_timeout');
        assert.match(error.message, /about \d+ s at .* may take 30 s\. .*svc dashboard FILE/);
        return second + 1;
      }
    }
  }
  return null;
}

test('watchArrival gives up a body after three seconds if even its best rate is too slow', () => {
  const steady = (rate: number): number[] => Array.from({ length: 29 }, () => rate);
  assert.equal(givenUpAfter(1_000 * MB, steady(20)), 3);
  assert.equal(givenUpAfter(1_000 * MB, steady(34)), null);
  assert.equal(givenUpAfter(null, steady(1)), null, 'a length that is not known');
});

test('watchArrival tolerates a slow start, and gives up when the remaining time is too short', () => {
  assert.equal(givenUpAfter(1_000 * MB, [60, 1, 1, 60, 60, 60, 60, 60, 60, 60, 60, 60]), null);
  const slowing = [100, ...Array.from({ length: 28 }, () => 5)];
  const second = givenUpAfter(1_000 * MB, slowing);
  assert.ok(second !== null && second > 15 && second < 29, String(second));
});
