// Any sequence of uploads, cuts, restarts and races ends in the state that ZIPs of the same files would have. The long lane tries
// more sequences.
import { test } from 'node:test';
import fc from 'fast-check';
import { steps } from './arbitrary-steps.ts';
import { openPartsRig } from './parts-rig.ts';

test('any sequence of uploads in parts ends in the state of ZIPs with the same files', async () => {
  await fc.assert(
    fc.asyncProperty(steps(6), async (sequence) => {
      await using rig = await openPartsRig();
      for (const step of sequence) await rig.run(step);
      await rig.finish();
    }),
    { numRuns: 20, seed: 20, endOnFailure: true },
  );
});
