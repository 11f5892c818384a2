// Defines a test of a cluster.
import { test } from 'node:test';
import { type Fault, faultsOf } from './faults.ts';
import { clusterMissing, openCluster, type Variant } from './open-cluster.ts';
import { createRandom, type Random } from './random.ts';
import { openRounds } from './run-rounds.ts';

/** The same for all tests of a file, so that its slices are parts of one order. */
const SEED = process.env['SVC_TEST_SEED'] || String(Date.now());

type Plan = Variant & {
  /** The starts of the names of the faults, one for each round. Or the number of rounds, with random faults. */
  readonly faults: readonly string[] | number;
  /** The part of all random rounds that this test does. */
  readonly slice?: number;
};

/**
 * Defines a test that runs a round for each fault. `SVC_CLUSTER_SEED` repeats a failed run: it prints its seed. The seed
 * repeats the faults and their times, but not the order in which the machine does things.
 */
export function clusterTest(name: string, plan: Plan): void {
  test(name, { skip: clusterMissing(plan) ?? false }, async (t) => {
    const seed = process.env['SVC_CLUSTER_SEED'] ?? SEED;
    t.diagnostic(`SVC_CLUSTER_SEED=${seed}`);
    const random = createRandom(seed);
    await using cluster = await openCluster(plan);
    const rounds = await openRounds(cluster, seed);
    const all = faultsOf(cluster, random);
    const { faults } = plan;
    const chosen =
      typeof faults === 'number'
        ? deal(all, faults, plan.slice ?? 0, random)
        : faults.map((start) => all.find((one) => one.name.startsWith(start)));
    for (const [index, fault] of chosen.entries()) {
      if (fault === undefined) throw new Error(`There is no such fault: ${plan.faults}`);
      const startedAt = performance.now();
      try {
        await rounds.run(fault);
      } catch (error) {
        const { api, store, nginx } = cluster;
        const outputs = [...api, ...store, nginx].map((one) => `${one.name}:\n${one.output}`);
        console.log(error, outputs.join('\n'));
        throw new Error(`seed ${seed}, round ${index}, ${fault.name}`, { cause: error });
      }
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      t.diagnostic(`${fault.name}: ${seconds} s, ${rounds.published} releases`);
    }
  });
}

/** Returns the slice's faults: each fault has had its turn before one has its next. */
function deal(all: readonly Fault[], count: number, slice: number, random: Random): Fault[] {
  const decks = Math.ceil(((slice + 1) * count) / all.length);
  const order = Array.from({ length: decks }, () => random.shuffle(all)).flat();
  return order.slice(slice * count, (slice + 1) * count);
}
