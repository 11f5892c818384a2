// Longer and other sequences of uploads, cuts, restarts and races than the short test, new ones in each run.
import { test } from 'node:test';
import fc from 'fast-check';
import { steps } from './arbitrary-steps.ts';
import { openPartsRig } from './parts-rig.ts';

const RUNS = 250;

test('any long sequence of uploads in parts ends in the state of ZIPs with the same files', async () => {
  let done = 0;
  await fc.assert(
    fc.asyncProperty(steps(12), async (sequence) => {
      await using rig = await openPartsRig();
      for (const step of sequence) await rig.run(step);
      await rig.finish();
      done += sequence.length;
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  console.log(`${RUNS} sequences with ${done} steps ended in the same state as ZIPs`);
});
