// Two hundred rounds of faults in a cluster, in slices that each have a cluster of their own.
import { createHash } from 'node:crypto';
import { clusterTest } from './cluster-test.ts';

const SLICES = 10;
const ROUNDS = 20;

// The long lane of CI has a seed and little time: one slice. Without a seed, all of them.
const seed = process.env['SVC_TEST_SEED'] ?? '';
const chosen = createHash('sha256').update(seed).digest().readUInt32BE() % SLICES;
for (let slice = 0; slice < SLICES; slice++) {
  if (seed !== '' && slice !== chosen) continue;
  clusterTest(`slice ${slice}: players and publishers notice no fault of a part`, {
    faults: ROUNDS,
    slice,
  });
}

clusterTest('a clock that is 90 s ahead decides nothing', {
  clockSeconds: 90,
  faults: ['platform 0 is stopped', 'platform 1 is stopped', 'platform 0 is killed'],
});

clusterTest('a clock that is 90 s behind decides nothing', {
  clockSeconds: -90,
  faults: ['platform 0 is stopped', 'platform 1 is stopped', 'platform 0 is killed'],
});

clusterTest(
  'processes in containers, with equal process ids and host names, do not take each other for themselves',
  {
    hasNamespaces: true,
    faults: [
      'platform 0 is stopped',
      'platform 1 is stopped',
      'platform 1 is killed',
      'platform 0 is ended',
    ],
  },
);
