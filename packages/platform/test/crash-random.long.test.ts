// Kills a publish 100 times at random moments, and reports the phases of the kills.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCrashRig } from './crash-rig.ts';

const KILLS = 100;

test('a kill at a random moment of a publish leaves the old release or the new one whole', async () => {
  await using rig = await openCrashRig();
  const whole = await rig.crash({ at: 'answer' });
  const fell = { before: 0, inside: 0, after: 0, 'not at all': 0 };
  const published = { before: 0, inside: 0, after: 0, 'not at all': 0 };
  for (let kill = 0; kill < KILLS; kill++) {
    // A third of the kills targets the short commit and the time after it, measured on a publish without a kill.
    const outcome = await rig.crash(
      kill % 3 === 0
        ? { at: 'last file', afterMs: Math.random() * 2 * whole.commitMs }
        : { at: 'time', afterMs: Math.random() * whole.ms },
    );
    fell[outcome.fell]++;
    if (outcome.isNew) published[outcome.fell]++;
  }
  console.log(
    `kills fell ${JSON.stringify(fell)}; the new release was there ${JSON.stringify(published)}`,
  );
  assert.ok(fell.before > 0 && fell.inside > 0 && fell.after > 0, JSON.stringify(fell));
  assert.equal(published.before, 0);
  assert.equal(published.after, fell.after);
});
