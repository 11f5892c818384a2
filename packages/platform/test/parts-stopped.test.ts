// Uploads in parts of a server that is stopped (SIGSTOP) while others go on, and then continues.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createPlatformClient, PlatformError } from '@svc/contracts/platform';
import { until } from '../../../scripts/until.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { readSettings } from '../src/index.ts';
import { usedFiles } from '../src/storage/collect-unused.ts';
import { expectError } from './expect-error.ts';
import { chooseDatabase, openPlatform } from './open-platform.ts';
import { startProcess } from './platform-process.ts';
import { publishBuild } from './publish-build.ts';
import {
  contentsOf,
  openUpload,
  partOf,
  publishParts,
  sendPart,
  sendParts,
  sha256,
} from './publish-parts.ts';
import { storedKeys } from './read-state.ts';
import { runUpkeep } from './run-upkeep.ts';

const STOP_AT_NAME = pathToFileURL(join(import.meta.dirname, 'stop-at-name.mjs')).href;
const PART = 4_096;

const ENVIRONMENT = {
  SVC_RATE_LIMIT: 'off',
  SVC_PUBLISH_LEASE_SECONDS: '1',
  SVC_LIMIT_UPLOAD_PART_BYTES: String(PART),
};

const SCRIPT = 'export function start() { return 1 }\n'.repeat(500);
const FILES = { 'index.html': '<!doctype html>new', 'main.js': SCRIPT, 'end.txt': 'the end' };

/** A server that can be stopped, another on the same database and data folder, and a game with a release. */
async function openTwo(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-parts-stopped-'));
  const dataDir = join(folder, 'data');
  const order = join(folder, 'stop');
  const databaseUrl = await chooseDatabase();
  const first = await startProcess(dataDir, {
    ...ENVIRONMENT,
    ...(databaseUrl === null ? {} : { SVC_DATABASE_URL: databaseUrl }),
    NODE_OPTIONS: `--import=${STOP_AT_NAME}`,
    STOP_AT_NAME: order,
  });
  const settings = { ...readSettings(ENVIRONMENT), databaseUrl };
  const second = await openPlatform({ dataDir, settings });
  const { db } = await openDatabase(dataDir, databaseUrl);
  t.after(async () => {
    await db.destroy();
    await first.kill();
    await second[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  const { client: owner } = await second.person('Ada');
  const { secret } = await owner.call('createToken', { body: { name: 'two' } });
  const { game } = await owner.call('createProject', { body: { title: 'Two' } });
  const here = createPlatformClient({
    baseUrl: first.baseUrl,
    send: fetch,
    credential: () => secret,
  });
  const there = second.clientWith(secret);
  await publishBuild(there, game.id, 'old', { 'index.html': 'old' });
  const upkeep = () => runUpkeep({ dataDir, settings });
  return {
    ...{ first, second, db, game, here, there, upkeep },
    /** Starts the work at the first server, and returns when that is stopped before the name. */
    async stopAt<Answer>(name: string, work: () => Promise<Answer>) {
      writeFileSync(order, name);
      const answer = work();
      answer.catch(() => {});
      await until(
        () => stateOf(first.child.pid),
        (state) => state === 'T',
        'it is stopped',
        30_000,
      );
      return { answer };
    },
    /** Lets the upkeep sweep what has ended, and look again an hour later. */
    async sweepTwice(): Promise<void> {
      await upkeep();
      await db
        .updateTable('attempts')
        .set((eb) => ({ beat_at: eb('beat_at', '-', 2 * 3_600_000) }))
        .where('state', '=', 'swept')
        .execute();
      await upkeep();
    },
    play: async (path: string) =>
      (await fetch(`${second.baseUrl}/play/${game.slug}/${path}`)).text(),
    async expectTidy(): Promise<void> {
      const { keys } = await usedFiles({ db }, game.id);
      assert.deepEqual(await storedKeys(second, game.id), [...keys].sort());
    },
  };
}

/** The state of a process: `T` for a stopped one. */
function stateOf(pid: number | undefined): string {
  return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';
}

test('a part that a stopped server stores long after its upload has ended does not stay', async (t) => {
  const two = await openTwo(t);
  const { here, there, game } = two;
  const upload = await openUpload(here, game.id, FILES);
  const bytes = partOf(upload, contentsOf(upload, FILES), 1);
  const { answer } = await two.stopAt('part-1', () => sendPart(here, game.id, upload, 1, bytes));
  await there.open('dropUpload', { params: { id: game.id, upload: upload.id } });
  await two.sweepTwice();
  const rows = await two.db.selectFrom('attempts').select('id').where('id', '=', upload.id);
  assert.deepEqual(await rows.execute(), [], 'the upkeep does not look again');
  two.first.child.kill('SIGCONT');
  await expectError(answer, 'not_found');
  await two.expectTidy();
  await publishParts(here, game.id, 'new', FILES);
  assert.equal(await two.play('main.js'), SCRIPT);
  await two.upkeep();
  await two.expectTidy();
});

test('a server that is stopped while it stores a part continues, and the part is there', async (t) => {
  const two = await openTwo(t);
  const { here, there, game } = two;
  const upload = await openUpload(here, game.id, FILES);
  const bytes = partOf(upload, contentsOf(upload, FILES), 1);
  const { answer } = await two.stopAt('part-1', () => sendPart(here, game.id, upload, 1, bytes));
  // The same part arrives elsewhere meanwhile.
  await sendParts(there, game.id, upload, FILES);
  two.first.child.kill('SIGCONT');
  await answer;
  const params = { id: game.id, upload: upload.id };
  await here.call('publishUpload', { params, body: { version: 'new' } });
  assert.equal(await two.play('main.js'), SCRIPT);
  await two.upkeep();
  await two.expectTidy();
});

test('a server that is stopped in a publish in parts changes nothing when it continues, and that of another stays whole', async (t) => {
  const two = await openTwo(t);
  const { here, there, game } = two;
  const upload = await openUpload(here, game.id, FILES);
  await sendParts(here, game.id, upload, FILES);
  const params = { id: game.id, upload: upload.id };
  const publish = (client: typeof here) =>
    client.call('publishUpload', { params, body: { version: 'new' } });
  const { answer } = await two.stopAt(sha256(SCRIPT), () => publish(here));
  await until(
    () =>
      publish(there).catch((error: unknown) => {
        assert.ok(error instanceof PlatformError && error.code === 'publish_in_progress');
        return null;
      }),
    (published) => published !== null,
    'the project is free',
    30_000,
  );
  await two.upkeep();
  two.first.child.kill('SIGCONT');
  const late = await answer.then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(late instanceof PlatformError, String(late));
  const codes: unknown[] = ['change_interrupted', 'not_found', 'version_exists'];
  assert.ok(codes.includes(late.code), String(late.code));
  assert.equal(await two.play('main.js'), SCRIPT);
  await two.sweepTwice();
  await two.expectTidy();
  const { releases } = await there.call('releases', { params: { id: game.id } });
  assert.deepEqual(
    releases.map(({ version }) => version),
    ['new', 'old'],
  );
});
