// Checks and repairs of many projects, of shared and kept files, and of damaged variants.
import assert from 'node:assert/strict';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { check } from '../src/commands/check.ts';
import { newId } from '../src/database/new-id.ts';
import type { FileStore, OpenFile } from '../src/files/file-store.ts';
import { openRig, text } from './check-rig.ts';
import { publishBuild } from './publish-build.ts';
import { storedKeys } from './read-state.ts';

test('all of many projects are checked, and the files of many deleted ones are removed', async () => {
  await using rig = await openRig();
  const game = await rig.db
    .selectFrom('games')
    .selectAll()
    .where('id', '=', rig.first)
    .executeTakeFirstOrThrow();
  const draft = { ...game, status: 'draft', live_release_id: null } as const;
  const rows = Array.from({ length: 199 }, () => newId()).map((id) => ({ ...draft, id, slug: id }));
  for (const row of rows) await rig.db.insertInto('games').values(row).execute();
  const gone = Array.from({ length: 205 }, () => `${newId()}/place/a`);
  for (const key of gone) {
    await mkdir(dirname(rig.pathOf(key)), { recursive: true });
    await writeFile(rig.pathOf(key), 'orphan');
  }
  const stored = await Promise.all(
    [rig.first, rig.second].map((id) => storedKeys(rig.platform, id)),
  );
  const sizes = await Promise.all(
    stored.flat().map(async (key) => (await stat(rig.pathOf(key))).size),
  );
  const { reports, summary } = await rig.check({}, true, true, 0);
  assert.deepEqual(summary, {
    projects: 201,
    files: sizes.length,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    left: 0,
    repaired: gone.length,
  });
  assert.deepEqual(reports.map(({ key }) => key).sort(), gone.sort());
});

test('a damaged file of several releases is reported with all their versions, and each damaged variant is found', async () => {
  await using rig = await openRig();
  const shared = await rig.keyOf(rig.first, text('a'));
  const own = await rig.keyOf(rig.first, text('2'));
  const damaged = [shared, `${shared}.gzip`, `${shared}.br`, `${own}.gzip`];
  for (const key of damaged) {
    const bytes = await readFile(rig.pathOf(key));
    bytes.fill(0xff, bytes.length >> 1);
    await writeFile(rig.pathOf(key), bytes);
  }
  const { reports } = await rig.check({}, false);
  const found = reports.map(({ key, kind, versions }) => [key, `${kind} ${versions.join()}`]);
  assert.deepEqual(
    Object.fromEntries(found),
    Object.fromEntries(
      damaged.map((key) => [key, key.startsWith(own) ? 'damaged 2' : 'damaged 1,2']),
    ),
  );
  assert.equal((await rig.check({}, true)).summary.left, 0);
  assert.deepEqual((await rig.check({}, false)).reports, []);
});

test('a lost file that is kept for the players of a replaced release is restored for them', async () => {
  await using rig = await openRig();
  const asset = 'assets/index-DkZ3xQ9p.js';
  await publishBuild(rig.client, rig.first, '3', {
    'index.html': text('3'),
    [asset]: text('kept'),
  });
  await publishBuild(rig.client, rig.first, '4', { 'index.html': text('4') });
  await rm(rig.pathOf(await rig.keyOf(rig.first, text('kept'))));
  const { summary } = await rig.check({}, true);
  assert.deepEqual([summary.repaired, summary.left], [1, 0]);
  const { slug } = await rig.db
    .selectFrom('games')
    .select('slug')
    .where('id', '=', rig.first)
    .executeTakeFirstOrThrow();
  const answer = await fetch(`${rig.platform.baseUrl}/play/${slug}/${asset}`);
  assert.equal(await answer.text(), text('kept'));
});

test('a check and a repair close each file that they open', async () => {
  await using rig = await openRig();
  for (const id of [rig.first, rig.second]) await rm(rig.pathOf(await rig.keyOf(id, text('a'))));
  // Its size is wrong, so it is opened and not read.
  await writeFile(rig.pathOf(await rig.keyOf(rig.first, text('1'))), 'short');
  const open = new Set<OpenFile>();
  const files: FileStore = {
    ...rig.files,
    async open(key) {
      const file = await rig.files.open(key);
      open.add(file);
      const close = (): Promise<void> => {
        open.delete(file);
        return file.close();
      };
      return { ...file, close };
    },
  };
  for (const [isRepair, sizesOnly] of [
    [false, true],
    [false, false],
    [true, true],
  ] as const) {
    await rig.check({ files }, isRepair, sizesOnly);
    assert.equal(open.size, 0);
  }
});

test('a check does not migrate the database', async () => {
  await using rig = await openRig();
  const { dataDir, settings } = rig.platform;
  const applied = () => sql<{ name: string }>`select name from kysely_migration`.execute(rig.db);
  await sql`delete from kysely_migration where name > '0011'`.execute(rig.db);
  const before = (await applied()).rows;
  const environment =
    settings.databaseUrl === null ? {} : { SVC_DATABASE_URL: settings.databaseUrl };
  await assert.rejects(
    check.run(['--data-dir', dataDir], environment),
    /the database lacks 0011_.*, 0012_.*Run "svc-platform migrate" first/,
  );
  assert.deepEqual((await applied()).rows, before);
});
