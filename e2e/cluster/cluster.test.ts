// A cluster under load, of which each part fails. `cluster.long.test.ts` does many more rounds.
import { clusterTest } from './cluster-test.ts';

clusterTest('players and publishers notice no fault of a part', {
  faults: [
    'platform 0 is stopped in a change',
    'PostgreSQL is killed',
    'apiFiles 1: truncate',
    'nginx is killed',
  ],
});
