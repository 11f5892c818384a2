// How seldom the GPU is asked: by what a question costs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { framesBetween } from './gpu-timer.ts';

test('a cheap query is made one frame in eight, a costly one more seldom, none less than every eight seconds', () => {
  assert.equal(framesBetween(0), 8);
  assert.equal(framesBetween(0.002), 8);
  assert.equal(framesBetween(0.02), 80);
  assert.equal(framesBetween(0.08), 320);
  assert.equal(framesBetween(30), 480);
});
