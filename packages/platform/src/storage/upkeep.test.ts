import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { PLATFORM_LIMITS } from '@svc/contracts/platform';
import { logTo } from '@svc/observe/testing';
import { sql } from 'kysely';
import { until } from '../../../../scripts/until.ts';
import { openDatabase } from '../database/open-database.ts';
import type { AttemptsTable, RemovalsTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { FileStore } from '../files/file-store.ts';
import { createFolderStore } from '../files/folder-store.ts';
import type { Platform } from '../platform.ts';
import { startUpkeep } from './upkeep.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LEASE_MS = 12_000;

/** A platform with the parts that the upkeep needs: files, and a database without games. */
async function platformFor(t: TestContext, change: (files: FileStore) => FileStore = (f) => f) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-upkeep-'));
  const database = await openDatabase(folder, null);
  const { db } = database;
  t.after(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  const root = join(folder, 'projects');
  const lines: string[] = [];
  const platform = {
    ...{ db, database, now: Date.now, log: logTo((line) => lines.push(line)) },
    files: change(createFolderStore(root)),
    attemptLeaseMs: LEASE_MS,
    limits: PLATFORM_LIMITS,
  } as unknown as Platform;
  const write = (gameId: string, file: string): void => {
    const path = join(root, gameId, file);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, 'left');
  };
  return {
    platform,
    db,
    lines,
    write,
    /** Creates a file that no row refers to, and schedules its removal. */
    async due(gameId: string, kind: RemovalsTable['kind'], file: string): Promise<void> {
      write(gameId, file);
      const row = { id: `${gameId} ${kind}`, game_id: gameId, kind, created_at: 0 };
      await db.insertInto('removals').values(row).execute();
    },
    /** Inserts an attempt that changed this long ago, and a file in its place. */
    async attempt(gameId: string, state: AttemptsTable['state'], ageMs: number): Promise<void> {
      write(gameId, `${state}/file`);
      await sql`insert into attempts (id, game_id, kind, state, beat_at)
        values (${state}, ${gameId}, 'publish', ${state},
          cast(unixepoch('subsec') * 1000 as integer) - ${ageMs})`.execute(db);
    },
    left: async (): Promise<string[]> =>
      (await db.selectFrom('removals').select('id').orderBy('id').execute()).map((row) => row.id),
    attempts: async (): Promise<string[]> =>
      (await db.selectFrom('attempts').selectAll().execute()).map((row) => row.state),
    there: (gameId: string): string[] =>
      existsSync(join(root, gameId))
        ? readdirSync(join(root, gameId), { recursive: true })
            .map(String)
            .filter((name) => name.includes('/'))
        : [],
  };
}

/** Does all work that is due. */
async function runUpkeep(platform: Platform): Promise<void> {
  await using upkeep = startUpkeep(platform);
  await upkeep.run();
}

const ORPHANS = {
  page: `files/${'a'.repeat(64)}`,
  zip: 'builds/01999999-0000-7000-8000-000000000000.zip',
  image: 'media/01999999-0000-7000-8000-000000000000.png',
};

test('the upkeep does scheduled removals of files of older versions, and deletes their rows', async (t) => {
  const { platform, due, left, there } = await platformFor(t);
  for (const [name, file] of Object.entries(ORPHANS)) await due(name, 'unused', file);
  await due('whole', 'project', 'anything/at-all');
  await runUpkeep(platform);
  for (const name of [...Object.keys(ORPHANS), 'whole']) assert.deepEqual(there(name), [], name);
  assert.deepEqual(await left(), []);
});

test('a removal of unused files removes those of committed attempts only', async (t) => {
  const { platform, write, due, attempt, attempts, there } = await platformFor(t);
  await attempt('game', 'committed', HOUR_MS);
  await attempt('game', 'open', 0);
  write('game', 'of-unknown/file');
  await due('game', 'unused', ORPHANS.page);
  await runUpkeep(platform);
  assert.deepEqual(there('game').sort(), ['of-unknown/file', 'open/file']);
  assert.deepEqual((await attempts()).sort(), ['open', 'unused']);
});

test('a place that is no longer used is removed once more after an hour, with its row', async (t) => {
  const { platform, db, attempt, attempts, there } = await platformFor(t);
  await attempt('game', 'unused', HOUR_MS - MINUTE_MS);
  await attempt('game', 'committed', HOUR_MS + MINUTE_MS);
  await runUpkeep(platform);
  assert.deepEqual((await attempts()).sort(), ['committed', 'unused']);
  await db
    .updateTable('attempts')
    .set((eb) => ({ beat_at: eb('beat_at', '-', MINUTE_MS + 1) }))
    .execute();
  await runUpkeep(platform);
  assert.deepEqual([await attempts(), there('game')], [['committed'], ['committed/file']]);
});

test('an attempt is abandoned after its lease, its place removed, and an hour later once more', async (t) => {
  const { platform, db, attempt, attempts, there, write } = await platformFor(t);
  const age = (ms: number) =>
    db
      .updateTable('attempts')
      .set((eb) => ({ beat_at: eb('beat_at', '-', ms) }))
      .execute();
  await attempt('game', 'open', LEASE_MS - 2000);
  await runUpkeep(platform);
  assert.deepEqual([await attempts(), there('game')], [['open'], ['open/file']]);
  await age(2001);
  await runUpkeep(platform);
  assert.deepEqual([await attempts(), there('game')], [['swept'], []]);
  // Its process wakes up, stores another file, and is killed.
  write('game', 'open/late');
  await age(HOUR_MS - MINUTE_MS);
  await runUpkeep(platform);
  assert.deepEqual([await attempts(), there('game')], [['swept'], ['open/late']]);
  await age(MINUTE_MS + 1);
  await runUpkeep(platform);
  assert.deepEqual([await attempts(), there('game')], [[], []]);
});

test('a place that cannot be removed is tried again', async (t) => {
  let isStuck = true;
  const { platform, attempt, attempts, there } = await platformFor(t, (files) => ({
    ...files,
    async removeFolder(folder) {
      if (isStuck) throw new Error('EBUSY');
      await files.removeFolder(folder);
    },
  }));
  await attempt('game', 'open', LEASE_MS + 1);
  await runUpkeep(platform);
  assert.deepEqual([await attempts(), there('game')], [['abandoned'], ['open/file']]);
  isStuck = false;
  await runUpkeep(platform);
  assert.deepEqual([await attempts(), there('game')], [['swept'], []]);
});

test('a project that is deleted during a publish loses its files at once, and the rest after the publish', async (t) => {
  const { platform, db, due, left, there, write, attempt } = await platformFor(t);
  await due('game', 'project', ORPHANS.page);
  await attempt('game', 'open', 0);
  await runUpkeep(platform);
  assert.deepEqual([await left(), there('game')], [['game project'], []]);
  write('game', 'open/file');
  await db.updateTable('attempts').set({ state: 'committed' }).execute();
  await runUpkeep(platform);
  assert.deepEqual([await left(), there('game')], [[], []]);
  assert.deepEqual(await db.selectFrom('attempts').selectAll().execute(), []);
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
    assert.match(lines[0] ?? '', /^internal: the upkeep failed: .*removals/);
    await rename('away', 'removals');
    assert.deepEqual(await left(), ['game project']);
    t.mock.timers.tick(MINUTE_MS);
    await until(left, (rows) => rows.length === 0, 'the upkeep has run', 30_000);
  }
  const asked = t.mock.method(db, 'selectFrom');
  t.mock.timers.tick(MINUTE_MS);
  assert.equal(asked.mock.callCount(), 0, 'no run begins any more');
});

/** A store whose removals wait until the gate is opened. Counts those that have begun. */
function createGate(t: TestContext) {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  t.after(() => open());
  const begun: string[] = [];
  const wrap = (files: FileStore): FileStore => ({
    ...files,
    async removeFolder(folder) {
      begun.push(folder);
      await gate;
      await files.removeFolder(folder);
    },
  });
  const untilBegun = () =>
    until(
      () => begun.length,
      (count) => count > 0,
      'a removal has begun',
      30_000,
    );
  return { open, begun, wrap, untilBegun };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

test('what cannot be removed is logged once, and does not prevent the rest', async (t) => {
  let isDenied = true;
  const { platform, db, due, attempt, attempts, left, lines } = await platformFor(t, (files) => ({
    ...files,
    async removeFolder(folder) {
      if (isDenied && /^stuck/.test(folder)) {
        const cause = new Error('AccessDenied: a legal hold');
        throw failure('unavailable', 'The file store cannot be reached now', { cause });
      }
      await files.removeFolder(folder);
    },
  }));
  await attempt('stuck-game', 'open', LEASE_MS + 1);
  await attempt('game', 'unused', HOUR_MS + MINUTE_MS);
  await due('stuck-project', 'project', 'x/y');
  await due('whole', 'project', 'x/y');
  const releases = { manifest_id: 'kept', game_id: 'game', until: Date.now() - 1 };
  await sql`pragma foreign_keys = off`.execute(db);
  await db.insertInto('kept_manifests').values(releases).execute();
  await using upkeep = startUpkeep(platform);
  await upkeep.run();
  await upkeep.run();
  assert.deepEqual([await attempts(), await left()], [['abandoned'], ['stuck-project project']]);
  assert.deepEqual(await db.selectFrom('kept_manifests').selectAll().execute(), []);
  const warning = (name: string): RegExp =>
    new RegExp(`^warning: the files of ${name} cannot be removed now, .*: a legal hold$`);
  assert.equal(lines.length, 2, lines.join('\n'));
  assert.match(lines[0] ?? '', warning('attempt open of project stuck-game'));
  assert.match(lines[1] ?? '', warning('project stuck-project'));
  isDenied = false;
  await upkeep.run();
  assert.deepEqual([await attempts(), await left()], [['swept'], []]);
  isDenied = true;
  await due('stuck-project', 'project', 'x/y');
  await upkeep.run();
  assert.equal(lines.length, 3, 'a new failure is logged again');
});

test('a run ends if the database does not answer', async (t) => {
  let calls = 0;
  const { platform, db, due, left } = await platformFor(t, (files) => ({
    ...files,
    async removeFolder() {
      calls++;
      lost = t.mock.method(db, 'getExecutor', () => {
        throw failure('unavailable', 'The database cannot be reached now');
      });
      throw new Error('lost');
    },
  }));
  let lost: { readonly mock: { restore(): void } } | undefined;
  await due('one', 'project', 'x/y');
  await due('two', 'project', 'x/y');
  await assert.rejects(runUpkeep(platform), /The database cannot be reached/);
  lost?.mock.restore();
  assert.deepEqual([calls, (await left()).length], [1, 2]);
});

test('only one run is at work, and calls meanwhile share one more, which sees what was written before them', async (t) => {
  const { open, begun, wrap, untilBegun } = createGate(t);
  const { platform, due, left, there } = await platformFor(t, wrap);
  await due('first', 'project', 'x/y');
  await using upkeep = startUpkeep(platform);
  const first = upkeep.run();
  await untilBegun();
  await due('second', 'project', 'x/y');
  const later = Array.from({ length: 5 }, () => upkeep.run());
  await turns();
  assert.deepEqual(begun, ['first']);
  assert.equal(new Set(later).size, 1);
  open();
  await Promise.all([first, ...later]);
  assert.deepEqual([begun, await left(), there('second')], [['first', 'second'], [], []]);
});

test('a removal that was asked for does not wait for those of other projects', async (t) => {
  const gate = createGate(t);
  const { platform, due, left } = await platformFor(t, (files) => {
    const { removeFolder } = gate.wrap(files);
    return {
      ...files,
      removeFolder: (folder) =>
        folder === 'long' ? removeFolder(folder) : files.removeFolder(folder),
    };
  });
  await due('long', 'project', 'x/y');
  await using upkeep = startUpkeep(platform);
  const run = upkeep.run();
  await gate.untilBegun();
  await due('short', 'project', 'x/y');
  await upkeep.removeFiles('short');
  assert.deepEqual(await left(), ['long project']);
  // The same project is removed by one at a time.
  const again = [upkeep.removeFiles('long'), upkeep.removeFiles('long')];
  await turns();
  assert.deepEqual(gate.begun, ['long']);
  gate.open();
  await Promise.all([run, ...again]);
  assert.deepEqual([gate.begun, await left()], [['long'], []]);
});

test('the end of the upkeep waits for the current run and a removal beside it, and begins nothing more', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { open, begun, wrap, untilBegun } = createGate(t);
  const { platform, due, left } = await platformFor(t, wrap);
  await due('one', 'project', 'x/y');
  const upkeep = startUpkeep(platform);
  t.mock.timers.tick(60_000);
  await untilBegun();
  await due('two', 'project', 'x/y');
  const beside = upkeep.removeFiles('two');
  await until(
    () => begun.length,
    (count) => count === 2,
    'both have begun',
    30_000,
  );
  await due('three', 'project', 'x/y');
  const next = upkeep.run();
  let ended = false;
  const end = upkeep[Symbol.asyncDispose]().then(() => {
    ended = true;
  });
  await turns();
  assert.equal(ended, false);
  open();
  await end;
  await Promise.all([beside, next]);
  assert.deepEqual([begun, await left()], [['one', 'two'], ['three project']]);
});
