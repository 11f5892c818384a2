// A sample of planted faults in these packages: each is noticed, or listed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeSlice } from './judge-slice.ts';

test('the tests notice planted faults, but for those that are listed', async () => {
  const result = await judgeSlice(['platform', 'cli', 'web']);
  assert.deepEqual(result?.faults ?? [], []);
});
