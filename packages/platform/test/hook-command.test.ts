// The publish hook as a program: what it gets, what its answers do, and what is left of it. `ask-command.test.ts` has more answers.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { PublishAnswer } from '@svc/contracts/platform';
import { until } from '../../../scripts/until.ts';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db } from '../src/database/schema.ts';
import { expectError } from './expect-error.ts';
import { isRunning } from './is-running.ts';
import { openReports, openWithSettings, type Reports } from './open-hook.ts';
import type { OpenPlatform, Person } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { openUpload, sendParts } from './publish-parts.ts';
import { openAttempts, spooledFiles, storedKeys } from './read-state.ts';

const REJECTED = 'Cannot publish the build: the check of this platform rejected it';
const NEXT = 'Change the build and publish it again, or ask the operator of the platform';

let reports: Reports;
let platform: OpenPlatform;
let ada: Person;
let db: Db;
before(async () => {
  process.env['SVC_SECRET_OF_THE_SERVER'] = 'not for the hook';
  reports = openReports();
  platform = await openWithSettings({
    SVC_PUBLISH_HOOK: reports.command,
    SVC_PUBLISH_LEASE_SECONDS: '1',
    SVC_RATE_LIMIT: 'off',
  });
  ada = await platform.person('Ada');
  ({ db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl));
});
after(async () => {
  await db.destroy();
  await platform[Symbol.asyncDispose]();
  reports[Symbol.dispose]();
});

const newGame = async (title: string) =>
  (await ada.client.call('createProject', { body: { title } })).game;

const publish = (id: string, version: string, order: string): Promise<PublishAnswer> =>
  publishBuild(ada.client, id, version, { 'index.html': order, 'assets/a.js': '// a' });

/** Checks that nothing of a publish is left. */
async function checkNothing(id: string): Promise<void> {
  const { game, live_release } = await ada.client.call('project', { params: { id } });
  assert.deepEqual([game.status, live_release], ['draft', null]);
  assert.deepEqual((await ada.client.call('releases', { params: { id } })).releases, []);
  assert.deepEqual(await storedKeys(platform, id), []);
  assert.deepEqual(await openAttempts(db), []);
  assert.deepEqual(await spooledFiles(platform), []);
}

test('the program gets the facts and readable files, and no variables of the server', async () => {
  const game = await newGame('Accepted "game" ü');
  const answer = await publish(game.id, '1.0', 'accept');
  assert.equal(answer.game.status, 'published');
  const report = await reports.wait('accept');
  const { folder } = report;
  assert.deepEqual(report.facts, {
    game: { id: game.id, slug: game.slug, title: game.title },
    owner: { id: ada.uid, name: 'Ada' },
    release: { version: '1.0', staged: false, files: 2, bytes: 10 },
    folder,
  });
  assert.deepEqual(
    report.files?.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    [
      { path: 'assets/a.js', mode: '400', text: '// a' },
      { path: 'index.html', mode: '400', text: 'accept' },
    ],
  );
  const allowed = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'];
  const others = Object.keys(report.env ?? {}).filter((name) => !allowed.includes(name));
  assert.deepEqual(others, ['SVC_BUILD_DIR']);
  assert.deepEqual([report.env?.['SVC_BUILD_DIR'], report.cwd], [folder, '/']);
  assert.equal(existsSync(folder), false, 'the copies are removed');
  assert.deepEqual(await spooledFiles(platform), []);
});

test('exit code 1 rejects the build, with the first lines of the output as reason', async () => {
  const game = await newGame('Rejected');
  const rows: readonly (readonly [order: string, message: string, detail: string])[] = [
    [
      'reject',
      `${REJECTED}: A [31mfault [0m in: a.js: a miner; b.js: a virus. ${NEXT}`,
      '1: A [31mfault [0m in: a.js: a miner; b.js: a virus',
    ],
    ['reject without a reason', `${REJECTED}. ${NEXT}`, '1'],
  ];
  for (const [order, message] of rows) {
    const error = await expectError(publish(game.id, '1', order), 'build_rejected');
    assert.equal(error.message, message);
  }
  await checkNothing(game.id);
  const audit = await db
    .selectFrom('audit')
    .select(['uid', 'action', 'detail'])
    .where('subject', '=', game.id)
    .where('action', 'like', 'release.%')
    .orderBy('id')
    .execute();
  assert.deepEqual(
    audit.map((row) => ({ ...row })),
    rows.map(([, , detail]) => ({ uid: ada.uid, action: 'release.rejected', detail })),
  );
  // The version is free, because nothing was stored.
  assert.equal((await publish(game.id, '1', 'do not read')).release.live, true);
});

test('a program that fails publishes nothing, and the log says why', async () => {
  const game = await newGame('Failed');
  const error = await expectError(publish(game.id, '1', 'fail'), 'hook_failed');
  assert.match(error.message, /^Cannot publish now: .* Nothing was changed\. Try again later/);
  assert.equal(error.retryAfterSeconds, 30);
  const lines = platform.lines.splice(0).filter((line) => line.includes('the publish hook failed'));
  assert.equal(lines.length, 1);
  assert.ok(
    lines[0]?.endsWith(': it ended with exit code 2: the scanner is down; start it'),
    lines[0],
  );
  await checkNothing(game.id);
});

test('previews and uploads in parts are judged too, and a dry run is not', async () => {
  const game = await newGame('Ways');
  const params = { id: game.id };
  const form = () => publishForm('1', { 'index.html': 'reject' });
  for (const query of [{ stage: 'true' }, { preview: 'main' }] as const) {
    await expectError(
      ada.client.call('publish', { params, query, form: form() }),
      'build_rejected',
    );
  }
  assert.deepEqual((await ada.client.call('previews', { params })).previews, []);
  const files = { 'index.html': 'reject', 'b.js': '// b' };
  const upload = await openUpload(ada.client, game.id, files);
  await sendParts(ada.client, game.id, upload, files);
  const body = { version: '1' };
  const at = { id: game.id, upload: upload.id };
  await expectError(ada.client.call('publishUpload', { params: at, body }), 'build_rejected');
  await checkNoRelease(game.id);
  const dry = await fetch(`${platform.baseUrl}/projects/${game.id}/publish?dry_run=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.idToken}` },
    body: form(),
  });
  assert.equal(dry.status, 200);
  // What was accepted needs no further answer.
  const staged = await ada.client.call('publish', {
    ...{ params, query: { stage: 'true' }, form: publishForm('2', { 'index.html': 'accept' }) },
  });
  assert.equal(staged.release.staged, true);
  const count = reports.read().length;
  await ada.client.call('promote', { params, body: { version: '2' } });
  await publish(game.id, '3', 'do not read');
  await ada.client.call('rollback', { params, body: { version: '2' } });
  assert.equal(reports.read().length, count, 'promotion and rollback do not ask');
  const facts = reports.read().map((report) => report.facts) as readonly {
    readonly release?: { readonly version: string; readonly staged: boolean };
  }[];
  assert.ok(facts.some((one) => one?.release?.version === '2' && one.release.staged));
});

async function checkNoRelease(id: string): Promise<void> {
  assert.deepEqual((await ada.client.call('releases', { params: { id } })).releases, []);
}

test('while the hook judges, the lease is renewed, and another publish of the game must wait', async () => {
  const game = await newGame('Lease');
  const waiting = publish(game.id, '1', 'wait');
  await reports.wait('wait');
  const beat = async (): Promise<number> =>
    Number(
      (
        await db
          .selectFrom('attempts')
          .select('beat_at')
          .where('game_id', '=', game.id)
          .where('state', '=', 'open')
          .executeTakeFirstOrThrow()
      ).beat_at,
    );
  const first = await beat();
  await until(beat, (at) => at > first + 1000, 'the lease is renewed for longer than it lasts');
  await expectError(publish(game.id, '2', 'accept'), 'publish_in_progress');
  reports.go();
  assert.equal((await waiting).release.live, true);
});

test('if the client leaves, the program and its group are ended, and nothing is left', async () => {
  const game = await newGame('Gone');
  const leaving = new AbortController();
  const answer = fetch(`${platform.baseUrl}/projects/${game.id}/publish`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.idToken}` },
    body: publishForm('1', { 'index.html': 'stall' }),
    signal: leaving.signal,
  });
  answer.catch(() => {});
  const report = await reports.wait('stall');
  assert.ok([report.pid, report.sleeper].every(isRunning));
  leaving.abort();
  await until(
    () => [report.pid, report.sleeper].some(isRunning),
    (runs) => !runs,
    'both processes have ended',
  );
  await until(
    () => openAttempts(db),
    (open) => open.length === 0,
    'the attempt has ended',
  );
  await until(
    () => spooledFiles(platform),
    (left) => left.length === 0,
    'the spool is empty',
  );
  await checkNothing(game.id);
});
