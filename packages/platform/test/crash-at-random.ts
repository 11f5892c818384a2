// Kills publishes at random moments, checks what they leave behind, and reports the phases of the kills.
import assert from 'node:assert/strict';
import type { CrashRig } from './crash-rig.ts';

/** Kills that many publishes. Returns how many uploads in parts went on afterwards. */
export async function crashAtRandom(rig: CrashRig, kills: number): Promise<number> {
  const whole = await rig.crash({ at: 'answer' });
  const fell = { before: 0, inside: 0, after: 0, 'not at all': 0 };
  const published = { before: 0, inside: 0, after: 0, 'not at all': 0 };
  let continued = 0;
  for (let kill = 0; kill < kills; kill++) {
    // A third of the kills targets the short commit and the time after it, measured on a publish without a kill.
    const outcome = await rig.crash(
      kill % 3 === 0
        ? { at: 'last file', afterMs: Math.random() * 2 * whole.commitMs }
        : { at: 'time', afterMs: Math.random() * whole.ms },
    );
    fell[outcome.fell]++;
    if (outcome.isNew) published[outcome.fell]++;
    if (outcome.continued > 0) continued++;
  }
  console.log(
    `kills fell ${JSON.stringify(fell)}; the new release was there ${JSON.stringify(published)}; ${continued} uploads went on`,
  );
  assert.ok(fell.before > 0 && fell.inside > 0 && fell.after > 0, JSON.stringify(fell));
  assert.equal(published.before, 0);
  assert.equal(published.after, fell.after);
  return continued;
}
