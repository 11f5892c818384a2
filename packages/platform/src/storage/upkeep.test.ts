import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { until } from '../../../../scripts/until.ts';
import { openDatabase } from '../database/open-database.ts';
import type { ClaimsTable, RemovalsTable } from '../database/schema.ts';
import { createFolderStore, type FileStore } from '../files/file-store.ts';
import { openSpool } from '../files/spool.ts';
import type { Platform } from '../platform.ts';
import { claimGame } from './claim-game.ts';
import { runUpkeep, startUpkeep } from './upkeep.ts';

const MINUTE_MS = 60_000;
const ELSEWHERE = 'elsewhere~1~aa';

/** A platform with the parts that the upkeep needs: files, and a database without games. */
async function platformFor(t: TestContext, change: (files: FileStore) => FileStore = (f) => f) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-upkeep-'));
  const database = await openDatabase(folder, null);
  const spool = openSpool(folder);
  const { db } = database;
  t.after(async () => {
    await spool[Symbol.asyncDispose]();
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  const root = join(folder, 'projects');
  const lines: string[] = [];
  const platform = {
    ...{ db, database, spool, now: Date.now, log: (line: string) => lines.push(line) },
    files: change(createFolderStore(root)),
  } as unknown as Platform;
  return {
    platform,
    db,
    lines,
    /** Creates a file that no row refers to, and schedules its removal. */
    async due(gameId: string, kind: RemovalsTable['kind'], file: string): Promise<void> {
      const path = join(root, gameId, file);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, 'left');
      const row = { id: `${gameId} ${kind}`, game_id: gameId, kind, created_at: 0 };
      await db.insertInto('removals').values(row).execute();
    },
    claim: (gameId: string, kind: ClaimsTable['kind'], owner: string, beat_at: number) =>
      db.insertInto('claims').values({ game_id: gameId, kind, owner, beat_at }).execute(),
    left: async (): Promise<string[]> =>
      (await db.selectFrom('removals').select('id').orderBy('id').execute()).map((row) => row.id),
    claims: async (): Promise<string[]> =>
      (await db.selectFrom('claims').selectAll().execute()).map((row) => row.kind),
    there: (gameId: string): string[] =>
      existsSync(join(root, gameId))
        ? readdirSync(join(root, gameId), { recursive: true })
            .map(String)
            .filter((name) => name.includes('/'))
        : [],
  };
}

const ORPHANS = {
  page: `files/${'a'.repeat(64)}`,
  zip: 'builds/01999999-0000-7000-8000-000000000000.zip',
  image: 'media/01999999-0000-7000-8000-000000000000.png',
};

test('the upkeep does scheduled removals of builds and media, and deletes their rows', async (t) => {
  const { platform, due, left, there, claims } = await platformFor(t);
  for (const [name, file] of Object.entries(ORPHANS)) await due(name, 'unused', file);
  await due('whole', 'project', 'anything/at-all');
  await runUpkeep(platform);
  for (const name of [...Object.keys(ORPHANS), 'whole']) assert.deepEqual(there(name), [], name);
  assert.deepEqual([await left(), await claims()], [[], []]);
});

test('a removal stays scheduled while another server publishes or updates the store page', async (t) => {
  for (const kind of ['publish', 'media'] as const) {
    const { platform, db, due, left, there, claim } = await platformFor(t);
    await due('game', 'unused', ORPHANS.page);
    await due('other', 'unused', ORPHANS.page);
    await claim('game', kind, ELSEWHERE, Date.now() + MINUTE_MS);
    await runUpkeep(platform);
    assert.deepEqual([await left(), there('game')], [['game unused'], [ORPHANS.page]], kind);
    assert.deepEqual(there('other'), [], 'others do not wait for it');
    await db.deleteFrom('claims').execute();
    await runUpkeep(platform);
    assert.deepEqual([await left(), there('game')], [[], []], kind);
  }
});

test('a project that is deleted during a publish loses its files at once, and the rest after the publish', async (t) => {
  const { platform, db, due, left, there, claim } = await platformFor(t);
  await due('game', 'project', ORPHANS.page);
  await claim('game', 'publish', ELSEWHERE, Date.now() + MINUTE_MS);
  await runUpkeep(platform);
  assert.deepEqual([await left(), there('game')], [['game project'], []]);
  await db.deleteFrom('claims').execute();
  await runUpkeep(platform);
  assert.deepEqual(await left(), []);
});

test('claims of ended processes are cleared at once, those of other servers a minute after their last heartbeat', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_900_000_000_000 });
  const { platform, claim, claims } = await platformFor(t);
  const [host = ''] = platform.spool.owner.split('~');
  // A pid that no process has.
  await claim('dead', 'publish', `${host}~${2 ** 22 + 1}~aa`, Date.now());
  await claim('elsewhere', 'media', ELSEWHERE, Date.now() - MINUTE_MS);
  await runUpkeep(platform);
  assert.deepEqual(await claims(), ['media']);
  t.mock.timers.tick(1);
  await runUpkeep(platform);
  assert.deepEqual(await claims(), []);
});

test('the upkeep removes no files of a publish of this process, even if its heartbeat is late', async (t) => {
  const { platform, db, due, there } = await platformFor(t);
  await due('game', 'unused', ORPHANS.page);
  await db.deleteFrom('removals').execute();
  await using claim = await claimGame(platform, 'game', 'publish');
  assert.ok(claim !== null);
  await db.updateTable('claims').set({ beat_at: 1 }).execute();
  await runUpkeep(platform);
  assert.deepEqual(there('game'), [ORPHANS.page]);
});

test('the upkeep runs within a minute, again after a failure, and not after its end', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { platform, db, due, left, lines } = await platformFor(t);
  const rename = (from: string, to: string) =>
    sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(db);
  await due('game', 'project', 'x/y');
  {
    await using _upkeep = startUpkeep(platform);
    await rename('removals', 'away');
    t.mock.timers.tick(MINUTE_MS);
    await until(
      () => lines.length,
      (count) => count > 0,
      'the failure is logged',
      30_000,
    );
    assert.match(lines[0] ?? '', /^internal: upkeep: .*removals/);
    await rename('away', 'removals');
    assert.deepEqual(await left(), ['game project']);
    t.mock.timers.tick(MINUTE_MS);
    await until(left, (rows) => rows.length === 0, 'the upkeep has run', 30_000);
  }
  const asked = t.mock.method(db, 'selectFrom');
  t.mock.timers.tick(MINUTE_MS);
  assert.equal(asked.mock.callCount(), 0, 'no run begins any more');
});

test('the end of the upkeep waits for the current run', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  t.after(() => open());
  let removing = false;
  const { platform, due, left } = await platformFor(t, (files) => ({
    ...files,
    async removeFolder(folder) {
      removing = true;
      await gate;
      await files.removeFolder(folder);
    },
  }));
  await due('game', 'project', 'x/y');
  const upkeep = startUpkeep(platform);
  // Only one tick, because only the last run is awaited.
  t.mock.timers.tick(20_000);
  await until(
    () => removing,
    (now) => now,
    'the run has begun',
    30_000,
  );
  let ended = false;
  const end = upkeep[Symbol.asyncDispose]().then(() => {
    ended = true;
  });
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  assert.equal(ended, false);
  open();
  await end;
  assert.deepEqual(await left(), []);
});
