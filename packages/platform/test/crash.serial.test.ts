// A few kills in the middle of a publish; every point of one is in the long lane.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCrashRig } from './crash-rig.ts';

test('a publish that is killed half-way leaves the old release or the new one, and no file too many', async () => {
  await using rig = await openCrashRig();
  for (const number of [3, 30]) {
    const early = await rig.crash({ at: 'name', number });
    assert.deepEqual([early.fell, early.isNew], ['before', false], `at name ${number}`);
  }
  const inside = await rig.crash({ at: 'zip', afterMs: 0 });
  assert.notEqual(inside.fell, 'before');
  const late = await rig.crash({ at: 'answer' });
  assert.deepEqual([late.fell, late.isNew], ['after', true]);
});
