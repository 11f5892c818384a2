// Kills a publish of 20 files when the n-th new name appears under the data folder, for every n.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCrashRig } from './crash-rig.ts';

test('a kill at every new name of a publish leaves the old release or the new one whole', async () => {
  await using rig = await openCrashRig();
  const fell = { before: 0, inside: 0, after: 0, 'not at all': 0 };
  for (let number = 1; fell['not at all'] === 0; number++) {
    const outcome = await rig.crash({ at: 'name', number });
    fell[outcome.fell]++;
    // The commit comes after every name.
    if (outcome.fell !== 'not at all') assert.equal(outcome.isNew, false, `at name ${number}`);
    assert.ok(number < 500);
  }
  console.log(`kills at every name fell ${JSON.stringify(fell)}`);
  assert.ok(fell.before >= 40 && fell.inside > 0 && fell.after === 0, JSON.stringify(fell));
});
