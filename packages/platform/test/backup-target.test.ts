// Targets of backups: damage, encryption, the removal of old backups, and buckets.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { NO_LOG } from '@svc/observe';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { until } from '../../../scripts/until.ts';
import { createPartReader, keyOfPart } from '../src/backup/parts.ts';
import { pruneBackups } from '../src/backup/prune-backups.ts';
import { formatSnapshot, readSnapshot, snapshotKey } from '../src/backup/snapshot.ts';
import { leaseTarget } from '../src/backup/target-lease.ts';
import type { FinishedBackup } from '../src/backup/write-backup.ts';
import { openDatabase } from '../src/database/open-database.ts';
import type { FileStore } from '../src/files/file-store.ts';
import { connectS3Store } from '../src/files/s3/open-s3-store.ts';
import { openSpool } from '../src/files/spool.ts';
import {
  backUp,
  filesOf,
  keysOf,
  newFolder,
  newPlace,
  newTarget,
  openRestored,
  openWithGame,
  type Place,
  playFiles,
  problemsOf,
  restoreTo,
  type Target,
  verify,
} from './backup-rig.ts';
import { startFakeS3 } from './fake-s3.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { storedKeys } from './read-state.ts';

/** A platform that tests only back up. */
let shared: Awaited<ReturnType<typeof openWithGame>>;
before(async () => {
  shared = await openWithGame();
});
after(() => shared[Symbol.asyncDispose]());

const { signal } = new AbortController();
const keepLast = (last: number) => ({ rules: { last, days: null }, now: Date.now(), signal });

test('files that are lost are named, and the others are backed up and restored', async (t) => {
  const target = await newTarget(t);
  await using site = await openWithGame();
  const { platform, client, game } = site;
  const zips = (await storedKeys(platform, game.id)).filter((key) => key.endsWith('build.zip'));
  const [gone = '', cut = ''] = zips;
  const root = join(platform.dataDir, 'projects');
  await rm(join(root, gone));
  await writeFile(join(root, cut), 'not a ZIP');
  const { lost, snapshot } = await backUp(platform, target.store);
  assert.deepEqual(lost.toSorted(), [`damaged ${cut}`, `missing ${gone}`]);
  assert.deepEqual(snapshot.lost.toSorted(), [gone, cut].sort());
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  t.after(() => db.destroy());
  assert.deepEqual(await db.selectFrom('backups').selectAll().execute(), [], 'no time of a backup');
  const place = await newPlace(t);
  const { faults } = await restoreTo(place, target.store);
  assert.equal(faults.length, 2);
  assert.ok([gone, cut].every((key) => faults.some((line) => line.includes(key))));
  assert.deepEqual((await problemsOf(place)).sort(), [`missing ${gone}`, `missing ${cut}`].sort());
  assert.equal((await client.call('projects', {})).games.length, 1);
});

test('a verification names a flipped byte, a missing content and a torn snapshot', async (t) => {
  const target = await newTarget(t);
  const { snapshot } = await backUp(shared.platform, target.store);
  const [first = '', second = ''] = await keysOf(target.store, 'contents');
  const path = join(target.root, first);
  const bytes = await readFile(path);
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  await writeFile(path, bytes);
  await rm(join(target.root, second));
  assert.deepEqual(
    (await verify(target.store)).toSorted(),
    [
      `The part "${first}" of the backup is damaged`,
      `The part "${second}" of the backup is missing`,
    ].sort(),
  );
  const place = await newPlace(t);
  const { faults } = await restoreTo(place, target.store);
  assert.ok(faults.length >= 2);
  assert.equal((await problemsOf(place)).length, faults.length);
  // The next backup copies a missing content again. A flipped byte of the same size needs a removal of the part first.
  await rm(path);
  await backUp(shared.platform, target.store);
  assert.deepEqual(await verify(target.store), []);
  const file = join(target.root, snapshotKey(snapshot.id));
  const text = await readFile(file, 'utf8');
  for (const torn of [text.slice(0, -20), '', text.replace('"lost":[]', '"lost": []')]) {
    await writeFile(file, torn);
    assert.deepEqual(await verify(target.store), [
      `The snapshot "${snapshotKey(snapshot.id)}" is damaged`,
    ]);
  }
  await using spool = openSpool(await newFolder(t, 'spool'));
  await assert.rejects(
    pruneBackups(target.store, spool, keepLast(1)),
    /Cannot prune: The snapshot ".*" is damaged/,
  );
  assert.equal((await backUp(shared.platform, target.store)).lost.length, 0);
});

test('a damaged dump is rejected before anything is restored', async (t) => {
  const target = await newTarget(t);
  const { snapshot } = await backUp(shared.platform, target.store);
  const users = snapshot.tables.find(({ name }) => name === 'users');
  const key = (await keysOf(target.store, 'tables')).find((one) =>
    one.endsWith(users?.hash ?? '-'),
  );
  await writeFile(join(target.root, key ?? ''), 'damaged');
  const place = await newPlace(t);
  await assert.rejects(restoreTo(place, target.store), {
    message: `The part "${key}" of the backup is damaged`,
  });
  assert.deepEqual(await readdir(join(place.dataDir, 'projects')), []);
  await backUp(shared.platform, target.store);
  assert.equal((await restoreTo(place, target.store)).faults.length, 0);
});

/** Writes the snapshot with the dump of the table replaced by these bytes, as somebody who can write to the target. */
async function forgeDump({ root, store }: Target, { snapshot }: FinishedBackup, bytes: Buffer) {
  const hash = createHash('sha256').update(bytes).digest('hex');
  const path = join(root, keyOfPart({ folder: 'tables', hash }, null));
  mkdirSync(join(path, '..'), { recursive: true });
  await writeFile(path, bytes);
  const tables = snapshot.tables.map((table) =>
    table.name === 'users' ? { ...table, hash, bytes: bytes.length } : table,
  );
  const forged = formatSnapshot({ ...snapshot, tables });
  await writeFile(join(root, snapshotKey(snapshot.id)), forged);
  return store;
}

test('a forged dump and a part that grows without end are rejected', async (t) => {
  const target = await newTarget(t);
  const made = await backUp(shared.platform, target.store);
  const bomb = Buffer.concat(Array(33).fill(gzipSync(Buffer.alloc(4 * 1024 * 1024, 'a'))));
  const forgeries = [Buffer.from('not gzip'), gzipSync('{"uid":'), gzipSync('[1]\n'), bomb];
  const place = await newPlace(t);
  for (const bytes of forgeries) {
    const store = await forgeDump(target, made, bytes);
    await assert.rejects(restoreTo(place, store), {
      message: 'The rows of "users" in the backup cannot be read',
    });
  }
  const tables = [
    ...made.snapshot.tables
      .filter(({ name }) => name === 'users')
      .map((one) => ({ ...one, name: 'sqlite_master' })),
  ];
  const forged = formatSnapshot({ ...made.snapshot, tables });
  await writeFile(join(target.root, snapshotKey(made.snapshot.id)), forged);
  await assert.rejects(restoreTo(place, target.store), /unknown table "sqlite_master"/);
  const endless: FileStore = {
    ...target.store,
    open: async () => ({
      bytes: Number.MAX_SAFE_INTEGER,
      read: async (buffer) => buffer.byteLength,
      close: async () => {},
    }),
  };
  const [hash, bytes] = ['a'.repeat(64), 1000];
  const readPart = createPartReader(endless, { id: 'any', recipients: null }, null);
  await assert.rejects(
    Array.fromAsync(readPart({ folder: 'contents', hash, bytes })),
    /is damaged/,
  );
});

test('damaged files are replaced when all others are stored', async (t) => {
  const target = await newTarget(t);
  const { snapshot } = await backUp(shared.platform, target.store);
  const { dataDir, settings } = await newPlace(t);
  const root = join(dataDir, 'projects');
  const damaged = snapshot.files.slice(0, 2).map(([key]) => key);
  for (const key of damaged) {
    mkdirSync(join(root, key, '..'), { recursive: true });
    await writeFile(join(root, key), 'damaged');
  }
  const events: string[] = [];
  const changeFiles = (files: FileStore): FileStore => ({
    ...files,
    startBatch() {
      const batch = files.startBatch();
      return {
        ...batch,
        settle: () => batch.settle().then(() => void events.push('settled')),
        put: (key, path) => batch.put(key, path).then(() => void events.push('put')),
      };
    },
    remove: (keys) => files.remove(keys).then(() => void events.push('removed')),
  });
  const { faults } = await restoreTo({ dataDir, settings }, target.store, { changeFiles });
  assert.deepEqual(faults, []);
  assert.ok(events.indexOf('removed') > events.indexOf('settled'), events.join(' '));
  assert.ok(events.lastIndexOf('put') < events.lastIndexOf('settled'), events.join(' '));
  assert.deepEqual(await problemsOf({ dataDir, settings }), []);
});

test('a backup for other recipients stores everything again, and shares nothing with others', async (t) => {
  const target = await newTarget(t);
  const [one, two] = [await generateIdentity(), await generateIdentity()];
  const first = await backUp(shared.platform, target.store, {
    recipients: [await identityToRecipient(one)],
  });
  for (const key of [
    ...(await keysOf(target.store, 'contents')),
    ...(await keysOf(target.store, 'tables')),
  ]) {
    assert.match(key, /\/[0-9a-f]{64}\.[0-9a-f]{16}\.age$/);
    const text = await readFile(join(target.root, key), 'latin1');
    assert.match(text, /^age-encryption\.org\/v1\n/);
  }
  const again = await backUp(shared.platform, target.store, {
    recipients: [await identityToRecipient(one)],
  });
  assert.equal(again.copied, 0);
  await assert.rejects(verify(target.store), /is encrypted\. Name the file of an identity/);
  await assert.rejects(verify(target.store, [two]), /it was made for other recipients/);
  assert.deepEqual(await verify(target.store, [one]), []);
  const other = await backUp(shared.platform, target.store, {
    recipients: [await identityToRecipient(two)],
  });
  assert.equal(other.copied, first.copied);
  await using spool = openSpool(await newFolder(t, 'spool'));
  await pruneBackups(target.store, spool, keepLast(1));
  assert.deepEqual(await verify(target.store, [two]), []);
  const place = await newPlace(t);
  await assert.rejects(restoreTo(place, target.store, { identities: [one] }), /other recipients/);
  assert.deepEqual((await restoreTo(place, target.store, { identities: [two] })).faults, []);
  assert.deepEqual(await problemsOf(place), []);
});

test('a removal of old backups keeps what others need, and never runs beside a backup', async (t) => {
  const target = await newTarget(t);
  await using site = await openWithGame();
  const { platform, client, game } = site;
  await using spool = openSpool(await newFolder(t, 'spool'));
  const prune = (last: number | null, days: number | null = null, now = Date.now()) =>
    pruneBackups(target.store, spool, { rules: { last, days }, now, signal });
  const first = await backUp(platform, target.store);
  await client.call('deleteRelease', { params: { id: game.id, version: '1' } });
  await publishBuild(client, game.id, '3', filesOf(3));
  const second = await backUp(platform, target.store);
  const third = await backUp(platform, target.store);
  {
    await using _ = await leaseTarget(target.store, spool, 'backup');
    await assert.rejects(prune(1), /A backup to this target is running/);
  }
  {
    await using _ = await leaseTarget(target.store, spool, 'prune');
    await assert.rejects(backUp(platform, target.store), /Old backups are being removed/);
  }
  assert.deepEqual(await keysOf(target.store, 'locks'), []);
  assert.deepEqual((await prune(null, 1)).removed, []);
  const pruned = await prune(2);
  assert.deepEqual(pruned.removed, [first.snapshot.id]);
  assert.ok(pruned.parts > 0);
  assert.deepEqual(await verify(target.store), []);
  assert.equal((await prune(2)).parts, 0);
  const later = Date.now() + 3 * 24 * 3600 * 1000;
  const rest = await prune(null, 1, later);
  assert.deepEqual([rest.removed, rest.kept], [[second.snapshot.id], [third.snapshot.id]]);
  assert.deepEqual(await verify(target.store), []);
  const place = await newPlace(t);
  assert.deepEqual((await restoreTo(place, target.store)).faults, []);
  assert.deepEqual(await problemsOf(place), []);
});

test('a removal needs a backup, and removes no files of others', async (t) => {
  const target = await newTarget(t);
  await using spool = openSpool(await newFolder(t, 'spool'));
  const others = ['contents/page.html', 'tables/2026/rows.csv'];
  for (const key of others) {
    mkdirSync(join(target.root, key, '..'), { recursive: true });
    await writeFile(join(target.root, key), 'of another program');
  }
  await assert.rejects(pruneBackups(target.store, spool, keepLast(1)), /The target has no backup/);
  await backUp(shared.platform, target.store);
  const hash = 'ab'.repeat(32);
  const copy = `contents/ab/${hash}.12345678-1234-1234-1234-123456789abc.copy`;
  mkdirSync(join(target.root, 'contents/ab'), { recursive: true });
  await writeFile(join(target.root, copy), 'of a killed command');
  const { parts } = await pruneBackups(target.store, spool, keepLast(1));
  assert.equal(parts, 1);
  for (const key of others) assert.ok(existsSync(join(target.root, key)), key);
  const stopped = { ...keepLast(1), signal: AbortSignal.abort(new Error('stopped')) };
  await assert.rejects(pruneBackups(target.store, spool, stopped), /stopped/);
  assert.deepEqual(await verify(target.store), []);
});

test('a lock that was not renewed in time is lost for good, and ends ten minutes later', async (t) => {
  const target = await newTarget(t);
  await using spool = openSpool(await newFolder(t, 'spool'));
  t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() });
  const renewed = (times: number) =>
    until(
      () => keysOf(target.store, 'locks'),
      (keys) => keys.length === 1 && keys[0]?.endsWith(`-${times}`) === true,
      `the lock was renewed to ${times}`,
    );
  {
    await using lease = await leaseTarget(target.store, spool, 'prune');
    t.mock.timers.tick(60_000);
    await renewed(2);
    lease.confirm();
    // As after a stop of the process: the renewals come late, and all at once.
    t.mock.timers.tick(300_000);
    await renewed(7);
    assert.throws(() => lease.confirm(), /could not be locked for too long/);
  }
  t.mock.timers.reset();
  const killed = join(target.root, 'locks', 'prune-0123456789abcdef-1');
  mkdirSync(join(target.root, 'locks'), { recursive: true });
  await writeFile(killed, '');
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  await utimes(killed, at(9), at(9));
  await assert.rejects(
    leaseTarget(target.store, spool, 'backup'),
    /killed in the last ten minutes/,
  );
  await utimes(killed, at(11), at(11));
  await using _ = await leaseTarget(target.store, spool, 'backup');
  assert.ok(!existsSync(killed));
});

test('two backups to one target at the same time are both whole', async (t) => {
  const target = await newTarget(t);
  await using one = await openWithGame();
  await using two = await openWithGame();
  const made = await Promise.all(
    [one, two, one].map((site) => backUp(site.platform, target.store)),
  );
  assert.deepEqual(await verify(target.store), []);
  for (const { snapshot } of made.slice(0, 2)) {
    const place = await newPlace(t);
    assert.deepEqual((await restoreTo(place, target.store, { id: snapshot.id })).faults, []);
    assert.deepEqual(await problemsOf(place), []);
  }
});

test('a bucket is a target as a folder is', async (t) => {
  await using fake = await startFakeS3();
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const address = { bucket: 'backups', prefix: 'svc/', endpoint: fake.endpoint, region: 'us-1' };
  const settings = { ...address, timeoutMs: 4000, redirects: false, credentials };
  using store = connectS3Store(settings, NO_LOG);
  await using site = await openWithGame();
  const { platform, client, game } = site;
  const first = await backUp(platform, store);
  const puts = () => fake.requests.filter((line) => line.startsWith('PUT svc/contents/')).length;
  assert.equal(puts(), first.copied);
  assert.equal(
    fake.requests.findLast((line) => /^PUT svc\/(?!locks)/.test(line)),
    `PUT svc/${snapshotKey(first.snapshot.id)}?x-id`,
  );
  await client.call('deleteRelease', { params: { id: game.id, version: '1' } });
  const second = await backUp(platform, store);
  assert.equal(puts(), first.copied, 'nothing is copied again');
  await using spool = openSpool(await newFolder(t, 'spool'));
  const pruned = await pruneBackups(store, spool, keepLast(1));
  assert.deepEqual(pruned.kept, [second.snapshot.id]);
  assert.ok(pruned.parts > 0);
  assert.deepEqual(await verify(store), []);
  const place = await newPlace(t);
  assert.deepEqual((await restoreTo(place, store)).faults, []);
  assert.deepEqual(await problemsOf(place), []);
  assert.equal(
    (await readSnapshot(store, second.snapshot.id)).files.length,
    second.snapshot.files.length,
  );
});

test('the files of a bucket are restored to another bucket', async (t) => {
  await using fake = await startFakeS3();
  const target = await newTarget(t);
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const address = { bucket: 'games', endpoint: fake.endpoint, region: 'us-1', credentials };
  const storageAt = (prefix: string) => ({
    ...{ ...address, prefix, timeoutMs: 4000, redirects: false },
  });
  const at = async (prefix: string): Promise<Place> => {
    const { dataDir, settings } = await newPlace(t);
    return { dataDir, settings: { ...settings, storage: storageAt(prefix) } };
  };
  const lost = await at('lost/');
  {
    await using platform = await openPlatform(lost);
    const { client } = await platform.person('Ada');
    const { game } = await client.call('createProject', { body: { title: 'Kept Game' } });
    await publishBuild(client, game.id, '1', filesOf(1));
    assert.deepEqual((await backUp(platform, target.store)).lost, []);
  }
  const stored = [...fake.objects].filter(([key]) => key.startsWith('lost/'));
  for (const [key] of stored) fake.objects.delete(key);
  const place = await at('found/');
  assert.deepEqual((await restoreTo(place, target.store)).faults, []);
  const bodies = stored.map(([key, { body }]) => [key.replace('lost/', 'found/'), body]);
  assert.deepEqual(
    [...fake.objects].map(([key, { body }]) => [key, body]).toSorted(),
    bodies.toSorted(),
  );
  await using platform = await openRestored(place);
  const played = await playFiles(platform, 'kept-game', ['data.bin']);
  assert.match(played['data.bin'] ?? '', /^200 /);
});
