// Counts in memory: their sums, their bounds, and what is given back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCounters } from './counters.ts';

const plain = (counters: ReturnType<typeof createCounters>) =>
  Object.fromEntries(
    [...(counters.take()?.games ?? [])].map(([id, { plays, missingFiles, ...sums }]) => [
      id,
      { ...sums, plays: Object.fromEntries(plays), files: Object.fromEntries(missingFiles) },
    ]),
  );

test('counts are summed by game, release and path, and taking them begins new ones', () => {
  const counters = createCounters(() => 1);
  counters.view('moon');
  counters.view('moon');
  counters.play('moon', { releaseId: 'r1', isFramed: false });
  counters.play('moon', { releaseId: 'r1', isFramed: true });
  counters.play('moon', { releaseId: 'r2', isFramed: true });
  counters.sent('moon', 10);
  counters.sent('moon', 5);
  counters.missing('moon', 'a.png');
  counters.missing('moon', 'a.png');
  counters.sent('sun', 1);
  counters.sent('star', 0);
  assert.deepEqual(plain(counters), {
    moon: {
      ...{ views: 2, bytes: 15, missing: 2, files: { 'a.png': 2 } },
      plays: { r1: { all: 2, framed: 1 }, r2: { all: 1, framed: 1 } },
    },
    sun: { views: 0, bytes: 1, missing: 0, files: {}, plays: {} },
  });
  assert.equal(counters.take(), null);
});

test('the counts of one game are taken alone, with their names', () => {
  const counters = createCounters(() => 1);
  counters.missing('moon', 'a.png');
  counters.missing('sun', 'b.png');
  const moon = counters.take('moon');
  assert.deepEqual([...(moon?.games.keys() ?? [])], ['moon']);
  assert.deepEqual(counters.take('moon'), null);
  // The room of its names is free again.
  for (let index = 0; index < 2_010; index++) {
    counters.missing(`game-${Math.floor(index / 20)}`, `${index}.png`);
  }
  const rest = [...(counters.take()?.games ?? [])];
  assert.equal(rest[0]?.[0], 'sun');
  assert.equal(
    rest.reduce((sum, [, { missingFiles }]) => sum + missingFiles.size, 0),
    2_000,
  );
});

test('counts that are given back are added to those since, with the time of the first', () => {
  let now = 1;
  const counters = createCounters(() => now);
  const count = (): void => {
    counters.view('moon');
    counters.play('moon', { releaseId: 'r1', isFramed: true });
    counters.sent('moon', 7);
    counters.missing('moon', 'a.png');
  };
  count();
  const taken = counters.take();
  assert.ok(taken !== null);
  now = 2;
  count();
  counters.giveBack(taken);
  const again = counters.take();
  assert.equal(again?.since, 1);
  now = 3;
  count();
  if (again !== null) counters.giveBack(again);
  assert.deepEqual(plain(counters), {
    moon: {
      ...{ views: 3, bytes: 21, missing: 3, files: { 'a.png': 3 } },
      plays: { r1: { all: 3, framed: 3 } },
    },
  });
});

test('games, releases and paths are bounded', () => {
  const counters = createCounters(() => 1);
  for (let index = 0; index < 60; index++) {
    counters.play('moon', { releaseId: `r${index}`, isFramed: false });
    counters.missing('moon', `${index}.png`);
  }
  counters.missing('sun', 'x'.repeat(201));
  counters.missing('sun', 'x'.repeat(200));
  const games = counters.take()?.games;
  const moon = games?.get('moon');
  assert.deepEqual([moon?.plays.size, moon?.missingFiles.size, moon?.missing], [50, 20, 60]);
  assert.deepEqual([...(games?.get('sun')?.missingFiles.keys() ?? [])], ['x'.repeat(200)]);
  for (let index = 0; index < 10_001; index++) {
    counters.view(`game-${index}`);
    counters.missing(`game-${index}`, 'a.png');
  }
  counters.view('game-0');
  const all = [...(counters.take()?.games ?? [])];
  assert.equal(all.length, 10_000);
  assert.equal(all[0]?.[1].views, 2);
  const named = all.filter(([, { missingFiles }]) => missingFiles.size > 0);
  assert.equal(named.length, 2_000, 'names of all games together');
});

test('counts that do not fit are left out when they are given back', () => {
  const counters = createCounters(() => 1);
  counters.view('old');
  const taken = counters.take();
  for (let index = 0; index < 9_999; index++) counters.view(`game-${index}`);
  if (taken !== null)
    counters.giveBack({ since: 1, games: new Map([...taken.games, ...taken.games]) });
  const more = createCounters(() => 1);
  more.view('one');
  more.view('game-0');
  const other = more.take();
  if (other !== null) counters.giveBack(other);
  const games = counters.take()?.games;
  assert.equal(games?.size, 10_000);
  assert.equal(games?.get('game-0')?.views, 2, 'a game that is counted already takes more');
  assert.equal(games?.has('one'), false);
});
