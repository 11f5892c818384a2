// Kills a publish in parts 60 times at random moments, and reports the phases of the kills.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crashAtRandom } from './crash-at-random.ts';
import { openCrashRig } from './crash-rig.ts';

const KILLS = 60;

test('a kill at a random moment of a publish in parts leaves a release whole, and the upload goes on', async () => {
  await using rig = await openCrashRig('parts');
  assert.ok((await crashAtRandom(rig, KILLS)) > 0, 'an upload went on');
});
