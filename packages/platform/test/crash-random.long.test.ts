// Kills a publish 100 times at random moments, and reports the phases of the kills.
import { test } from 'node:test';
import { crashAtRandom } from './crash-at-random.ts';
import { openCrashRig } from './crash-rig.ts';

const KILLS = 100;

test('a kill at a random moment of a publish leaves the old release or the new one whole', async () => {
  await using rig = await openCrashRig();
  await crashAtRandom(rig, KILLS);
});
