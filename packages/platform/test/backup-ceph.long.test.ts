// Backups between the buckets of a real object store, with the commands of an operator.
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { NO_LOG } from '@svc/observe';
import { until } from '../../../scripts/until.ts';
import { nameTarget } from '../src/backup/open-target.ts';
import type { FileStore } from '../src/files/file-store.ts';
import type { StorageSettings } from '../src/files/s3/connect-store.ts';
import { openS3Store } from '../src/files/s3/open-s3-store.ts';
import {
  filesOf,
  keysOf,
  newPlace,
  openRestored,
  type Place,
  playFiles,
  problemsOf,
  runCommand,
  startCommand,
} from './backup-rig.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { type Ceph, cephMissing, environmentOf, startCeph } from './start-ceph.ts';

const missing = cephMissing();
const skip = missing ?? false;
let ceph: Ceph;
before(async () => {
  if (missing === null) ceph = await startCeph();
});
after(async () => {
  if (missing === null) await ceph[Symbol.asyncDispose]();
});

/** Creates a bucket for backups: its address, the credentials of the commands, and its files. */
async function newBucket(t: TestContext) {
  const storage = await ceph.newStorage();
  const { bucket, prefix, endpoint, credentials } = storage;
  const store: FileStore & Disposable = await openS3Store(storage, NO_LOG);
  t.after(() => store[Symbol.dispose]());
  return {
    address: `s3://${bucket}/${prefix}?endpoint=${endpoint}`,
    keys: {
      SVC_BACKUP_S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
      SVC_BACKUP_S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
    },
    store: nameTarget(store),
  };
}

/** An empty place whose files are in a bucket of their own. */
async function newBucketPlace(t: TestContext): Promise<Place & { storage: StorageSettings }> {
  const { dataDir, settings } = await newPlace(t);
  const storage = await ceph.newStorage();
  return { dataDir, settings: { ...settings, storage }, storage };
}

test('under load, a bucket is backed up to another one, verified, pruned, and restored to a third', {
  skip,
}, async (t) => {
  const target = await newBucket(t);
  const lost = await newBucketPlace(t);
  const run = (place: Place & { storage: StorageSettings }, ...args: string[]) =>
    runCommand(args, place, { ...environmentOf(place.storage), ...target.keys });
  // Of publishes.
  let [begun, answered] = [1, 1];
  let slug: string;
  {
    await using platform = await openPlatform(lost);
    const { client } = await platform.person('Ada');
    const { game } = await client.call('createProject', { body: { title: 'Kept Game' } });
    ({ slug } = game);
    await publishBuild(client, game.id, '1', filesOf(1));
    const stop = new AbortController();
    const load = (async () => {
      while (!stop.signal.aborted) {
        begun++;
        await publishBuild(client, game.id, String(begun), filesOf(begun));
        answered = begun;
      }
    })();
    const before = begun;
    const first = await run(lost, 'backup', target.address, '--json');
    assert.deepEqual([first.code, first.stderr], [0, '']);
    assert.ok(answered > before, 'a publish has begun and ended during the backup');
    stop.abort();
    await load;
    const second = await run(lost, 'backup', target.address, '--json');
    const { copied, files } = JSON.parse(second.stdout);
    assert.ok(copied < files, `${copied} of ${files} files are copied again`);
  }
  const pruned = await run(lost, 'backups', 'prune', target.address, '--keep-last', '1');
  assert.equal(pruned.code, 0, pruned.stderr);
  assert.equal((await keysOf(target.store, 'snapshots')).length, 1);
  const verified = await run(lost, 'backups', 'verify', target.address);
  assert.equal(verified.code, 0, verified.stderr);
  const found = await newBucketPlace(t);
  const restored = await run(found, 'restore', target.address);
  assert.equal(restored.code, 0, restored.stderr);
  assert.deepEqual(await problemsOf(found), []);
  await using platform = await openRestored(found);
  const played = await playFiles(platform, slug, Object.keys(filesOf(answered)));
  for (const [path, content] of Object.entries(filesOf(answered))) {
    const bytes = Buffer.from(played[path]?.split(' ').at(-1) ?? '', 'base64');
    assert.deepEqual(bytes, Buffer.from(content), path);
  }
  const [content = ''] = await keysOf(target.store, 'contents');
  await target.store.remove([content]);
  const damaged = await run(lost, 'backups', 'verify', target.address);
  assert.equal(damaged.code, 1);
  assert.match(damaged.stdout + damaged.stderr, new RegExp(content.split('/').at(-1) ?? ''));
});

for (const signal of ['SIGSTOP', 'SIGKILL'] as const) {
  test(`a backup ends with an error and without a snapshot if its target gets ${signal}, and the next one is whole`, {
    skip,
  }, async (t) => {
    const target = await newBucket(t);
    await using platform = await openPlatform();
    const { client } = await platform.person('Ada');
    const { game } = await client.call('createProject', { body: { title: 'Kept Game' } });
    const many = Array.from({ length: 800 }, (_, index) => [`${index}.txt`, `text ${index}`]);
    await publishBuild(client, game.id, '1', { ...filesOf(1), ...Object.fromEntries(many) });
    const { child, ended } = startCommand(['backup', target.address], platform, target.keys);
    await until(
      () => keysOf(target.store, 'contents'),
      (keys) => keys.length > 0 || child.exitCode !== null,
      'the backup has stored something',
    );
    ceph.signal(signal);
    assert.equal(child.exitCode, null, 'the backup runs');
    try {
      const { code, stdout, stderr } = await ended;
      assert.notEqual(code, 0, stdout);
      assert.match(stderr, /The target of the backup cannot be used/);
    } finally {
      if (signal === 'SIGSTOP') ceph.signal('SIGCONT');
      else await ceph.restart();
    }
    assert.deepEqual(await keysOf(target.store, 'snapshots'), []);
    const next = await runCommand(['backup', target.address], platform, target.keys);
    assert.equal(next.code, 0, next.stderr);
    const verified = await runCommand(['backups', 'verify', target.address], platform, target.keys);
    assert.equal(verified.code, 0, verified.stderr);
  });
}
