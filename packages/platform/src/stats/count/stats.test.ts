// Storing counts: twice a minute, once at a time, and again after an outage.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logTo } from '@svc/observe/testing';
import type { Db } from '../../database/schema.ts';
import { failure } from '../../failure.ts';
import { startStats } from './stats.ts';

const COUNTED = { releaseId: 'r1', isFramed: true };

/** Counts into a store that fails with an error, if `fail` returns one. */
function start(fail: () => Error | null = () => null) {
  const game = { now: Date.parse('2026-03-01T12:00:00Z') };
  const lines: string[] = [];
  /** The plays, views and bytes by day and game. */
  const stored: (readonly [
    day: string,
    id: string,
    plays: number,
    views: number,
    bytes: number,
  ])[] = [];
  const storing = { attempts: 0, atOnce: 0, most: 0 };
  const store: Parameters<typeof startStats>[2] = async (_stored, day, counts) => {
    storing.attempts++;
    storing.most = Math.max(storing.most, ++storing.atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    storing.atOnce--;
    const error = fail();
    if (error !== null) throw error;
    for (const [id, { plays, views, bytes }] of counts) {
      stored.push([day, id, plays.get('r1')?.all ?? 0, views, bytes]);
    }
  };
  const context = {
    ...{ db: {} as Db, database: { engine: 'sqlite' as const } },
    ...{ now: () => game.now, log: logTo((line) => lines.push(line)) },
  };
  return { game, lines, stored, storing, stats: startStats(context, true, store) };
}

test('counts are kept during an outage, and stored once it is over', async () => {
  let isDown = true;
  const { stats, stored, lines } = start(() =>
    isDown ? failure('unavailable', 'The database does not answer') : null,
  );
  stats.play('g', COUNTED);
  await stats.flush();
  stats.play('g', COUNTED);
  await stats.flush();
  assert.deepEqual(stored, []);
  isDown = false;
  await stats.flush();
  assert.deepEqual(stored, [['2026-03-01', 'g', 2, 0, 0]]);
  assert.deepEqual(lines, [], 'the outage is logged where it is noticed');
  await stats[Symbol.asyncDispose]();
});

test('games are stored in parts, and after an outage in one part the others are kept', async () => {
  let parts = 0;
  const { stats, stored, storing } = start(() =>
    ++parts === 2 ? failure('unavailable', 'The database does not answer') : null,
  );
  for (let index = 0; index < 250; index++) stats.view(`g${index}`);
  await stats.flush();
  assert.deepEqual([stored.length, storing.attempts], [100, 2]);
  await stats.flush();
  assert.equal(stored.length, 250);
  assert.equal(new Set(stored.map(([, id]) => id)).size, 250);
  await stats[Symbol.asyncDispose]();
});

test('counts that a fault of the program rejects are reported and do not block others', async () => {
  let isBroken = true;
  const { stats, stored, lines } = start(() => (isBroken ? new Error('broken') : null));
  stats.view('g');
  await stats.flush();
  assert.match(lines[0] ?? '', /^internal: plays of 1 games are not stored: Error: broken/);
  isBroken = false;
  stats.sent('g', 5);
  await stats.flush();
  assert.deepEqual(stored, [['2026-03-01', 'g', 0, 0, 5]]);
  await stats[Symbol.asyncDispose]();
});

test('calls during a run share the next one, and nothing is stored without counts', async () => {
  const { stats, stored, storing } = start();
  await stats.flush();
  assert.equal(storing.attempts, 0);
  stats.view('g');
  const running = stats.flush();
  await Promise.resolve();
  stats.view('g');
  await Promise.all([running, ...Array.from({ length: 10 }, () => stats.flush())]);
  assert.ok(storing.attempts <= 2 && storing.most === 1, JSON.stringify(storing));
  assert.equal(
    stored.reduce((sum, [, , , views]) => sum + views, 0),
    2,
  );
  await stats[Symbol.asyncDispose]();
});

test('the counts of one game are stored without those of others, also while all are being stored', async () => {
  const { stats, stored } = start();
  stats.view('mine');
  stats.view('other');
  await stats.flush('mine');
  assert.deepEqual(stored, [['2026-03-01', 'mine', 0, 1, 0]]);
  stats.view('mine');
  const all = stats.flush();
  await Promise.resolve();
  await stats.flush('mine');
  assert.deepEqual(
    stored.map(([, id]) => id),
    ['mine', 'other', 'mine'],
  );
  await all;
  await stats[Symbol.asyncDispose]();
});

test('a day is that of the first count, and what is left is stored at the end', async () => {
  const { stats, game, stored } = start();
  game.now = Date.parse('2026-03-01T23:59:59Z');
  stats.view('g');
  game.now = Date.parse('2026-03-02T00:00:10Z');
  stats.view('g');
  await stats.flush();
  stats.view('g');
  await stats[Symbol.asyncDispose]();
  assert.deepEqual(stored, [
    ['2026-03-01', 'g', 0, 2, 0],
    ['2026-03-02', 'g', 0, 1, 0],
  ]);
});
