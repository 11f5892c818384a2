// A few kills during a publish. The long lane tests every step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCrashRig } from './crash-rig.ts';

test('a publish that is killed leaves the old release or the new one, and no unused file', async () => {
  await using rig = await openCrashRig();
  for (const number of [3, 30]) {
    const early = await rig.crash({ at: 'name', number });
    assert.deepEqual([early.fell, early.isNew], ['before', false], `at name ${number}`);
  }
  const inside = await rig.crash({ at: 'last file', afterMs: 0 });
  assert.notEqual(inside.fell, 'before');
  const late = await rig.crash({ at: 'answer' });
  assert.deepEqual([late.fell, late.isNew], ['after', true]);
});

test('an upload in parts that is killed goes on with the parts that were acknowledged', async () => {
  await using rig = await openCrashRig('parts');
  for (const number of [3, 12, 40]) {
    const early = await rig.crash({ at: 'name', number });
    assert.deepEqual([early.fell, early.isNew], ['before', false], `at name ${number}`);
    assert.equal(early.continued > 0, number > 3, `at name ${number}`);
  }
  const inside = await rig.crash({ at: 'last file', afterMs: 0 });
  assert.notEqual(inside.fell, 'before');
  const late = await rig.crash({ at: 'answer' });
  assert.deepEqual([late.fell, late.isNew], ['after', true]);
});
