// `svc-platform backup`, `backups` and `restore` as an operator runs them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { until } from '../../../scripts/until.ts';
import { listSnapshots } from '../src/backup/snapshot.ts';
import { backup } from '../src/commands/backup/backup.ts';
import { backups } from '../src/commands/backup/backups.ts';
import { restore } from '../src/commands/backup/restore.ts';
import type { Command } from '../src/commands/command.ts';
import {
  backUp,
  newFolder,
  newPlace,
  newTarget,
  openRestored,
  playFiles,
  restoreTo,
  runCommand,
  startCommand,
  verify,
} from './backup-rig.ts';
import { refuse, startFakeS3 } from './fake-s3.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';

let platform: OpenPlatform;
before(async () => {
  platform = await openPlatform();
  const { client } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Kept Game' } });
  const many = Object.fromEntries(
    Array.from({ length: 150 }, (_, index) => [`assets/${index}.bin`, randomBytes(2000)]),
  );
  await publishBuild(client, game.id, '1', { 'index.html': '<p>kept</p>', ...many });
});
after(() => platform[Symbol.asyncDispose]());

const run = (...args: string[]) => runCommand(args, platform);

/** All names of files below a folder. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

test('an encrypted backup is listed, verified, restored and removed', async (t) => {
  const { root, store } = await newTarget(t);
  const folder = await newFolder(t, 'keys');
  const identity = await generateIdentity();
  const [recipients, key] = [join(folder, 'recipients'), join(folder, 'key')];
  await writeFile(recipients, `# the operator\n${await identityToRecipient(identity)}\n`);
  await writeFile(key, `# a comment\n${identity}\n`);
  const old = await backUp(platform, store);
  const made = await run('backup', root, '--recipients-file', recipients);
  assert.deepEqual([made.code, made.stderr], [0, '']);
  assert.match(
    made.stdout,
    /^Backed up 15\d files as \S+, of which 15\d contents \(1 MiB\) were new\n$/,
  );
  const [, id] = await listSnapshots(store);
  const listed = await run('backups', 'list', root);
  const [first, second] = listed.stdout.split('\n');
  assert.match(first ?? '', new RegExp(`^${old.snapshot.id}  15\\d files, 1 MiB, not encrypted$`));
  assert.match(second ?? '', new RegExp(`^${id}  15\\d files, 1 MiB, encrypted$`));
  const verified = await run('backups', 'verify', root, '--identity', key, '--json');
  const { event, backups: count, faults } = JSON.parse(verified.stdout);
  assert.deepEqual([event, count, faults, verified.code], ['verified', 2, 0, 0]);
  const pruned = await run('backups', 'prune', root, '--keep-last', '1', '--json');
  const { removed, kept } = JSON.parse(pruned.stdout);
  assert.deepEqual([removed, kept], [[old.snapshot.id], [id]]);
  const place = await newPlace(t);
  await assert.rejects(restoreTo(place, store), /is encrypted\. Name the file of an identity/);
  const restored = await runCommand(['restore', root, '--identity', key], place);
  assert.deepEqual([restored.code, restored.stderr], [0, '']);
  assert.match(restored.stdout, /^Restored \S+: \d+ rows, 15\d files\n$/);
  await using open = await openRestored(place);
  const { 'index.html': page } = await playFiles(open, 'kept-game', ['index.html']);
  assert.match(page ?? '', /^200 /);
});

test('damage ends a command with 1, and names what is damaged', async (t) => {
  const { root, store } = await newTarget(t);
  await backUp(platform, store);
  const [part = ''] = await filesIn(join(root, 'contents'));
  await rm(part);
  const { code, stderr } = await run('backups', 'verify', root);
  assert.equal(code, 1);
  assert.equal(stderr, `The part "${part.slice(root.length + 1)}" of the backup is missing\n`);
});

test('a backup that is killed or interrupted leaves contents that the next one uses', async (t) => {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const { root, store } = await newTarget(t);
    const { child, ended } = startCommand(['backup', root], platform);
    await until(
      () => filesIn(root),
      (files) => files.some((one) => one.includes('/contents/')),
      'the backup has stored a content',
    );
    child.kill(signal);
    const { code, killed, stdout, stderr } = await ended;
    const left = await filesIn(root);
    assert.ok(!left.some((path) => path.includes('/snapshots/')));
    if (signal === 'SIGKILL') assert.equal(killed, signal);
    else {
      assert.deepEqual([code, stdout], [143, '']);
      assert.match(stderr, /^The backup was interrupted/);
      assert.ok(!left.some((path) => path.includes('/locks/')));
    }
    const next = await backUp(platform, store);
    assert.ok(next.copied < next.snapshot.files.length, `${next.copied} copied`);
    assert.deepEqual(await verify(store), []);
  }
});

test('a restore that is killed or interrupted can be run again', async (t) => {
  const { root, store } = await newTarget(t);
  const { snapshot } = await backUp(platform, store);
  const place = await newPlace(t);
  const projects = join(place.dataDir, 'projects');
  let left = 0;
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const { child, ended } = startCommand(['restore', root], place);
    await until(
      () => filesIn(projects).catch(() => []),
      (files) => files.length > left,
      'the restore has stored a file',
    );
    child.kill(signal);
    const { code, killed, stdout, stderr } = await ended;
    left = (await filesIn(projects)).length;
    const expected = [143, null, '', 'The restore was interrupted. Run it again\n'];
    if (signal === 'SIGTERM') assert.deepEqual([code, killed, stdout, stderr], expected);
    else assert.equal(killed, signal);
  }
  const { kept, stored, faults } = await restoreTo(place, store);
  assert.deepEqual([faults, kept + stored], [[], snapshot.files.length]);
  assert.ok(kept > 0 && stored > 0, `${kept} kept, ${stored} stored`);
});

test('a bucket is a target with credentials of its own', async () => {
  await using fake = await startFakeS3();
  const address = `s3://backups/svc?endpoint=${fake.endpoint}`;
  const keys = { SVC_BACKUP_S3_ACCESS_KEY_ID: 'key', SVC_BACKUP_S3_SECRET_ACCESS_KEY: 'secret' };
  const made = await runCommand(['backup', address], platform, keys);
  assert.deepEqual([made.code, made.stderr], [0, '']);
  const stored = [...fake.objects.keys()];
  assert.ok(stored.every((key) => /^svc\/(contents|tables|snapshots)\//.test(key)));
  fake.fault = (_, response) => refuse(response, 403, 'AccessDenied');
  await assert.rejects(backups.run(['list', address], keys), {
    message: /^The target of the backup cannot be used: it denies access/,
  });
});

test('wrong arguments are named', async (t) => {
  const { root } = await newTarget(t);
  const data = ['--data-dir', platform.dataDir];
  const empty = await newFolder(t, 'empty');
  const cases: [RegExp, Command, ...string[]][] = [
    [/"svc-platform backup": TARGET is missing/, backup],
    [/"more" is one argument too many/, backup, root, 'more'],
    [/it contains no database/, backup, root, '--data-dir', empty],
    [/is not a folder\. Create it, or mount its disk/, backup, join(root, 'missing'), ...data],
    [/"nobody" is not a recipient of age/, backup, root, '--recipient', 'nobody'],
    [/SVC_BACKUP_S3_ACCESS_KEY_ID must be set/, backup, 's3://backups?region=eu-1', ...data],
    [/There is no command "backups remove"/, backups, 'remove', root],
    [/^The command is missing\. Commands:\nsvc-platform backups list TARGET/, backups],
    [/Say which backups to keep/, backups, 'prune', root],
    [/Cannot use --keep-last "0"/, backups, 'prune', root, '--keep-last', '0'],
    [/The target has no backup/, restore, root, '--data-dir', empty],
    [/The target has no snapshot/, restore, root, 'unknown', '--data-dir', empty],
  ];
  for (const [message, command, ...args] of cases) {
    await assert.rejects(command.run(args, {}), { message });
  }
});

const canMount =
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
const skip = canMount ? false : 'kernel: no user namespaces with mounts';

test('a full target is named, and has no snapshot', { skip }, async (t) => {
  const small = join(await newFolder(t, 'small'), 'disk');
  mkdirSync(small);
  const script = `mount -t tmpfs -o size=200k tmpfs ${small} && "$@"; echo $?; ls ${small}/snapshots`;
  const main = join(import.meta.dirname, '../bin/svc-platform.mjs');
  const command = [process.execPath, main, 'backup', small, '--data-dir', platform.dataDir];
  const args = ['-rm', 'sh', '-c', script, 'sh', ...command];
  const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
  assert.match(stderr, /^The target of the backup is full\. Free space there\n/);
  assert.equal(stdout.trim(), '1');
});
