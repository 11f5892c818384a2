// The interval of timer queries depends on their cost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { framesBetween } from './gpu-timer.ts';

test('a cheap query runs every eighth frame, a costly one less often, but at least every eight seconds', () => {
  assert.equal(framesBetween(0), 8);
  assert.equal(framesBetween(0.002), 8);
  assert.equal(framesBetween(0.02), 80);
  assert.equal(framesBetween(0.08), 320);
  assert.equal(framesBetween(30), 480);
});
