import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { ApiError } from '@svc/serve';
import { sql } from 'kysely';
import { openDatabase } from '../database/open-database.ts';
import { openSpool } from '../files/spool.ts';
import type { Platform } from '../platform.ts';
import { claimForPublish, claimForUpdate, claimGame } from './claim-game.ts';

const MINUTE_MS = 60_000;
const ELSEWHERE = 'elsewhere~1~aa';

/** A platform with the parts that claims need. */
async function platformFor(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-claims-'));
  const { db } = await openDatabase(folder, null);
  const spool = openSpool(folder);
  t.after(async () => {
    await spool[Symbol.asyncDispose]();
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  const platform = { db, spool } as unknown as Platform;
  const rename = (from: string, to: string) =>
    sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(db);
  return {
    platform,
    db,
    owner: spool.owner,
    rows: () => db.selectFrom('claims').selectAll().execute(),
    /** Returns the owner and last heartbeat of the only claim. */
    holder: async () => {
      const [row] = await db.selectFrom('claims').selectAll().execute();
      return [row?.owner, row?.beat_at];
    },
    set: (change: { owner?: string; beat_at?: number }) =>
      db.updateTable('claims').set(change).execute(),
    leave: (owner: string, beat_at: number) =>
      db
        .insertInto('claims')
        .values({ game_id: 'game', kind: 'publish', owner, beat_at })
        .execute(),
    /** Runs the work while no claim can be written or deleted. */
    async withoutTable(work: () => Promise<unknown>): Promise<void> {
      await rename('claims', 'away');
      await work().finally(() => rename('away', 'claims'));
    },
  };
}

test('a claim of another server can be taken 60 seconds after its heartbeat, and not before', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_900_000_000_000 });
  const { platform, leave, holder, owner } = await platformFor(t);
  await leave(ELSEWHERE, Date.now() - MINUTE_MS);
  assert.equal(await claimGame(platform, 'game', 'publish'), null);
  t.mock.timers.tick(1);
  await using claim = await claimGame(platform, 'game', 'publish');
  assert.equal(claim?.tookOver, true);
  assert.deepEqual(await holder(), [owner, Date.now()], 'this process owns it from now on');
});

test('a new claim excludes its own kind, but neither the other kind nor another game', async (t) => {
  const { platform, rows } = await platformFor(t);
  const take = async (gameId: string, kind: 'publish' | 'media') => {
    const claim = await claimGame(platform, gameId, kind);
    assert.equal(claim?.tookOver, false);
    return claim;
  };
  const claims = [await take('game', 'publish'), await take('game', 'media')];
  claims.push(await take('other', 'publish'));
  assert.equal(await claimGame(platform, 'game', 'publish'), null);
  const left: string[][] = [];
  for (const claim of claims) {
    await claim[Symbol.asyncDispose]();
    left.push((await rows()).map(({ game_id, kind }) => `${game_id} ${kind}`).sort());
  }
  assert.deepEqual(left, [['game media', 'other publish'], ['other publish'], []]);
});

test('a claim of an owner that is known to have ended is taken at once; others are not', async (t) => {
  const { platform, leave } = await platformFor(t);
  await leave(ELSEWHERE, Date.now() + MINUTE_MS);
  const take = (deadOwner: string) => claimGame(platform, 'game', 'publish', { deadOwner });
  assert.equal(await take('elsewhere~2~bb'), null);
  await using claim = await take(ELSEWHERE);
  assert.equal(claim?.tookOver, true);
});

test('the end of a claim of another kind, game or server does not free a claim', async (t) => {
  const { platform, db } = await platformFor(t);
  const row = (game_id: string, kind: 'publish' | 'media', beat_at: number) =>
    ({ game_id, kind, owner: ELSEWHERE, beat_at }) as const;
  const held = row('game', 'publish', Date.now() + MINUTE_MS);
  for (const stale of [row('game', 'media', 1), row('other', 'publish', 1)]) {
    await db.deleteFrom('claims').execute();
    await db.insertInto('claims').values([held, stale]).execute();
    assert.equal(
      await claimGame(platform, 'game', 'publish'),
      null,
      `${stale.game_id} ${stale.kind}`,
    );
    await using claim = await claimGame(platform, stale.game_id, stale.kind);
    assert.equal(claim?.tookOver, true);
  }
});

test('a claim that another server has taken over is not changed by our heartbeat and release', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { platform, holder, set } = await platformFor(t);
  const claim = await claimGame(platform, 'game', 'publish');
  await set({ owner: ELSEWHERE, beat_at: 1 });
  t.mock.timers.tick(MINUTE_MS);
  await claim?.[Symbol.asyncDispose]();
  assert.deepEqual(await holder(), [ELSEWHERE, 1]);
});

test('a released claim stops its heartbeat', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { platform, holder, owner, leave } = await platformFor(t);
  const claim = await claimGame(platform, 'game', 'publish');
  await claim?.[Symbol.asyncDispose]();
  await leave(owner, 1);
  t.mock.timers.tick(MINUTE_MS);
  // A heartbeat would be written before this answer, because queries run in order.
  assert.deepEqual(await holder(), [owner, 1]);
});

test('a claim whose row cannot be deleted is released, and the next claim takes the row over', async (t) => {
  const { platform, withoutTable } = await platformFor(t);
  const claim = await claimGame(platform, 'game', 'publish');
  await withoutTable(async () => claim?.[Symbol.asyncDispose]());
  await using next = await claimGame(platform, 'game', 'publish');
  assert.equal(next?.tookOver, true);
});

test('a claim that could not be written does not block a later one', async (t) => {
  const { platform, withoutTable, leave, set } = await platformFor(t);
  await withoutTable(() => assert.rejects(claimGame(platform, 'game', 'publish'), /claims/));
  await leave(ELSEWHERE, Date.now() + MINUTE_MS);
  assert.equal(await claimGame(platform, 'game', 'publish'), null);
  await set({ beat_at: 0 });
  await using claim = await claimGame(platform, 'game', 'publish');
  assert.equal(claim?.tookOver, true);
});

test('a publish waits for the upkeep, and is rejected at once during another publish', async (t) => {
  const { platform } = await platformFor(t);
  const upkeep = await claimGame(platform, 'game', 'publish', { purpose: 'upkeep' });
  let state = 'waits';
  const waiting = claimForPublish(platform, 'game').then((claim) => {
    state = 'claimed';
    return claim;
  });
  // Until it has seen the claim of the upkeep at least once.
  await setTimeout(120);
  assert.equal(state, 'waits');
  await upkeep?.[Symbol.asyncDispose]();
  await using claim = await waiting;
  assert.equal(claim.tookOver, false);
  const isRefused = (error: unknown) =>
    error instanceof ApiError && error.code === 'publish_in_progress';
  await assert.rejects(claimForPublish(platform, 'game'), isRefused);
});

/** Mocks timers also for modules that import `setTimeout` by name. */
function stopClock(t: TestContext): void {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.timers.reset();
    syncBuiltinESMExports();
  });
}

test('a publish waits ten seconds for the upkeep, an update fifteen for another update; then both are busy', async (t) => {
  const { platform } = await platformFor(t);
  await using _upkeep = await claimGame(platform, 'game', 'publish', { purpose: 'upkeep' });
  await using _update = await claimGame(platform, 'game', 'media');
  stopClock(t);
  for (const [claim, ms] of [
    [claimForPublish, 10_000],
    [claimForUpdate, 15_000],
  ] as const) {
    let outcome = 'waits';
    claim(platform, 'game').then(
      () => (outcome = 'claimed'),
      (error: unknown) => (outcome = error instanceof ApiError ? error.code : String(error)),
    );
    await new Promise(setImmediate);
    let waited = 0;
    for (; outcome === 'waits' && waited < 60_000; waited += 50) {
      t.mock.timers.tick(50);
      await new Promise(setImmediate);
    }
    assert.deepEqual([outcome, waited], ['busy', ms], claim.name);
  }
});

test('an update continues when another has ended', async (t) => {
  const { platform } = await platformFor(t);
  const other = await claimGame(platform, 'game', 'media');
  let state = 'waits';
  const waiting = claimForUpdate(platform, 'game').then((claim) => {
    state = 'claimed';
    return claim;
  });
  await setTimeout(20);
  assert.equal(state, 'waits');
  await other?.[Symbol.asyncDispose]();
  await using claim = await waiting;
  assert.equal(claim.tookOver, false);
});
