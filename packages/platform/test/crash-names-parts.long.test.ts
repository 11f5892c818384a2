// Kills a publish in parts of 20 files when the n-th new name appears under the data folder, for every n.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCrashRig, PARTS } from './crash-rig.ts';

test('a kill at every new name of a publish in parts leaves a release whole, and the upload goes on', async () => {
  await using rig = await openCrashRig('parts');
  const fell = { before: 0, inside: 0, after: 0, 'not at all': 0 };
  const continued = new Set<number>();
  for (let number = 1; fell['not at all'] === 0; number++) {
    const outcome = await rig.crash({ at: 'name', number });
    fell[outcome.fell]++;
    continued.add(outcome.continued);
    // The commit comes after every name.
    if (outcome.fell !== 'not at all') assert.equal(outcome.isNew, false, `at name ${number}`);
    assert.ok(number < 500);
  }
  console.log(`kills at every name fell ${JSON.stringify(fell)}`);
  assert.ok(fell.before >= 40 && fell.inside > 0 && fell.after === 0, JSON.stringify(fell));
  for (let parts = 0; parts <= PARTS; parts++) assert.ok(continued.has(parts), `after ${parts}`);
});
