// Each fault of a sample is noticed by a test or listed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeSlice } from './judge-slice.ts';

test('the tests notice a sample of planted faults, except those that are listed', async () => {
  const { judged, faults } = await judgeSlice();
  assert.ok(judged.length > 0, 'no fault was judged');
  assert.deepEqual(faults, []);
});
