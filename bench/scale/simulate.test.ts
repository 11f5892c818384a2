import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noCounts } from './model-process.ts';
import { PRODUCT_LIMITS } from './product-limits.ts';
import { createRandom } from './random.ts';
import { busiestShare, createRouter, type Simulation, simulate } from './simulate.ts';
import { SizedLru } from './sized-lru.ts';
import { createWorkload, REFERENCE } from './workload.ts';
import { createZipf } from './zipf.ts';

const MIB = 1024 * 1024;
const WORKLOAD = { ...REFERENCE, games: 500, filesPerGame: 10, playsPerRelease: 100 };
const SIMULATION: Simulation = {
  workload: WORKLOAD,
  limits: { ...PRODUCT_LIMITS, disk: 200 * MIB },
  processes: 4,
  observed: 4,
  balancing: 'any',
  phases: [
    { name: 'first', plays: 1000 },
    { name: 'again', plays: 1000 },
    { name: 'replaced', plays: 300, before: 'top game replaced' },
    { name: 'restarted', plays: 300, before: 'restart' },
    { name: 'lost', plays: 300, before: 'restart without disk' },
  ],
  playEveryMs: 1000,
};

test('a cache of a limited size drops what was not used for the longest time', () => {
  const cache = new SizedLru<string>(10);
  cache.set(1, 'a', 4);
  cache.set(2, 'b', 4);
  assert.equal(cache.get(1), 'a');
  cache.set(3, 'c', 6);
  assert.deepEqual([cache.get(2), cache.get(1), cache.get(3)], [undefined, 'a', 'c']);
  assert.equal(cache.size, 10);
  cache.set(4, 'large', 11);
  assert.deepEqual([cache.get(4), cache.size], [undefined, 10]);
  cache.set(1, 'smaller', 1);
  assert.deepEqual([cache.get(1), cache.size], ['smaller', 7]);
  cache.clear();
  assert.deepEqual([cache.get(1), cache.size], [undefined, 0]);
});

test('the entries of a cache can be reordered, so that the smallest number leaves first', () => {
  const cache = new SizedLru<number>(3);
  for (const [key, value] of [1, 0, 2].entries()) cache.set(key, value, 1);
  cache.reorder((value) => value);
  cache.set(9, 9, 1);
  assert.deepEqual([cache.get(1), cache.get(0), cache.get(2)], [undefined, 1, 2]);
});

test('ranks are drawn with the probabilities of Zipf’s law', () => {
  const draws = 200_000;
  for (const exponent of [0.8, 1, 1.2]) {
    const random = createRandom(7);
    const zipf = createZipf(1000, exponent);
    const histogram = new Uint32Array(1000);
    for (let draw = 0; draw < draws; draw++) {
      const rank = zipf.rankOf(random());
      histogram[rank] = (histogram[rank] ?? 0) + 1;
    }
    const sum = Array.from({ length: 1000 }, (_, rank) => (rank + 1) ** -exponent).reduce(
      (one, other) => one + other,
    );
    for (const rank of [0, 1, 2, 9, 99]) {
      const expected = ((rank + 1) ** -exponent / sum) * draws;
      assert.ok(Math.abs((histogram[rank] ?? 0) - expected) < 5 * Math.sqrt(expected), `${rank}`);
      assert.ok(Math.abs(zipf.shareOf(rank) * draws - expected) < 1e-6);
    }
    assert.equal(zipf.rankOf(0), 0);
    assert.equal(zipf.rankOf(1 - 2 ** -32), 999);
  }
});

test('the files of a play have the stated median and about the stated size together', () => {
  const workload = createWorkload(REFERENCE);
  const sizes: number[] = [];
  for (let game = 0; game < 2000; game++) {
    for (let file = 0; file < 30; file++) sizes.push(workload.fileOf(game, file).bytes);
  }
  sizes.sort((a, b) => a - b);
  const median = sizes[sizes.length >> 1] ?? 0;
  const play = sizes.reduce((sum, size) => sum + size, 0) / 2000;
  assert.ok(Math.abs(median / 46_000 - 1) < 0.1, `${median}`);
  assert.ok(Math.abs(play / 10_000_000 - 1) < 0.15, `${play}`);
});

test('a new release changes the stated share of the contents, and the manifest of its game only', () => {
  const workload = createWorkload({ ...REFERENCE, filesPerGame: 2000 });
  const contents = () =>
    Array.from({ length: 2000 }, (_, file) => workload.fileOf(3, file).content);
  const [before, other] = [contents(), workload.fileOf(4, 0)];
  const { manifest } = workload.fileOf(3, 0);
  workload.replace(3);
  const changed = contents().filter((content, file) => content !== before[file]).length;
  assert.ok(Math.abs(changed / 2000 - REFERENCE.changedShare) < 0.05);
  assert.notEqual(workload.fileOf(3, 0).manifest, manifest);
  assert.deepEqual(workload.fileOf(4, 0), other);
});

test('each read is answered by the memory, the disk or the store, and nothing is counted twice', () => {
  for (const balancing of ['any', 'slug'] as const) {
    for (const { plays, counts } of simulate({ ...SIMULATION, balancing })) {
      assert.equal(counts.requests, plays * WORKLOAD.filesPerGame);
      assert.equal(counts.reads, counts.memoryHits + counts.diskHits + counts.storeReads);
      assert.ok(counts.reads >= counts.requests);
    }
  }
});

test('a simulation with the same seed has the same result, and with another one another result', () => {
  assert.deepEqual(simulate(SIMULATION), simulate(SIMULATION));
  const other = simulate({ ...SIMULATION, workload: { ...WORKLOAD, seed: 2 } });
  assert.notDeepEqual(simulate(SIMULATION), other);
});

test('one process with enough space reads each content once, and queries twice for each release', () => {
  const workload = { ...WORKLOAD, games: 20, playsPerRelease: 1_000_000, largestBytes: 100_000 };
  const [first, again, replaced, restarted, lost] = simulate({
    ...SIMULATION,
    workload,
    processes: 1,
    observed: 1,
  }).map(({ counts }) => counts);
  const contents = 20 * WORKLOAD.filesPerGame;
  assert.deepEqual([first?.storeReads, first?.queries], [contents, 40]);
  const { requests = 0 } = again ?? {};
  assert.deepEqual([again?.memoryHits, again?.storeReads, again?.queries], [requests, 0, 0]);
  assert.equal(replaced?.queries, 2);
  assert.ok((replaced?.storeReads ?? 0) > 0 && (replaced?.storeReads ?? 0) <= 10);
  assert.deepEqual([restarted?.storeReads, restarted?.diskHits], [0, contents]);
  assert.equal(lost?.storeReads, contents);
});

test('processes that are not observed take their share of the requests', () => {
  const [all] = simulate(SIMULATION);
  const [part] = simulate({ ...SIMULATION, observed: 1 });
  const ratio = (part?.counts.requests ?? 0) / (all?.counts.requests ?? 0);
  assert.ok(Math.abs(ratio - 1 / 4) < 0.02, `${ratio}`);
  assert.deepEqual(simulate({ ...SIMULATION, observed: 0 })[0]?.counts, noCounts());
});

test('by slug, all requests for a game go to one process, and the busiest has more than its share', () => {
  const router = createRouter({ processes: 10, balancing: 'slug' });
  for (let game = 0; game < 100; game++) assert.equal(router(game), router(game));
  const busiest = busiestShare(createWorkload(WORKLOAD), WORKLOAD.games, 10);
  assert.ok(busiest > createZipf(WORKLOAD.games, 1).shareOf(0) && busiest < 1);
});

test('the model has the limits of the product', () => {
  assert.deepEqual(PRODUCT_LIMITS, {
    memory: 128 * MIB,
    memoryEntry: MIB,
    disk: 1024 * MIB,
    block: 2 * MIB,
    blockHeader: 40,
    usedEveryMs: 3_600_000,
    games: 10_000,
    forms: 50_000,
    manifestFiles: 100_000,
  });
});
