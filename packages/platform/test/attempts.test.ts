// Servers on one database and one file store, of which one is stopped, killed or restarted during a publish.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createPlatformClient, type PlatformClient } from '@svc/contracts/platform';
import { until } from '../../../scripts/until.ts';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db } from '../src/database/schema.ts';
import { readSettings } from '../src/index.ts';
import { usedFiles } from '../src/storage/collect-unused.ts';
import { readErrorCode } from './expect-error.ts';
import { chooseDatabase, openPlatform } from './open-platform.ts';
import { type PlatformProcess, startProcess } from './platform-process.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { filesIn } from './read-state.ts';
import { runUpkeep } from './run-upkeep.ts';
import { signIn } from './sign-in.ts';

const LEASE_SECONDS = 1;
const STOP_AT_ZIP = pathToFileURL(join(import.meta.dirname, 'stop-at-zip.mjs')).href;

/** Files of a build: some are in every build, some only in this one. */
function filesOf(version: string): Record<string, string> {
  const files: Record<string, string> = { 'index.html': `<title>${version}</title>` };
  for (let index = 0; index < 10; index++) {
    files[`${index}.js`] = `${index % 2 === 0 ? 'same' : version} ${index} `.repeat(200);
  }
  return files;
}

/** Two servers on one database and one data folder, and a game with a release. The first can be stopped in a publish. */
async function openTwo(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-attempts-'));
  const dataDir = join(folder, 'data');
  const order = join(folder, 'stop');
  const databaseUrl = await chooseDatabase();
  const environment = {
    SVC_RATE_LIMIT: 'off',
    SVC_PUBLISH_LEASE_SECONDS: String(LEASE_SECONDS),
    ...(databaseUrl === null ? {} : { SVC_DATABASE_URL: databaseUrl }),
  };
  const settings = readSettings(environment);
  const start = (more: Readonly<Record<string, string>> = {}): Promise<PlatformProcess> =>
    startProcess(dataDir, { ...environment, ...more });
  const first = await start({ NODE_OPTIONS: `--import=${STOP_AT_ZIP}`, STOP_AT_ZIP: order });
  const second = await start();
  const { db } = await openDatabase(dataDir, databaseUrl);
  t.after(async () => {
    await db.destroy();
    for (const server of [first, second]) await server.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const { client, secret } = await signUp(first);
  const { game } = await client.call('createProject', { body: { title: 'Two' } });
  await publishBuild(client, game.id, '1', filesOf('1'));
  const there = clientOf(second, secret);
  return {
    ...{ first, second, db, game, dataDir, client, there },
    /** Starts a publish at the first server, which is stopped when all its files are stored. */
    async stopInPublish(version: string): Promise<{ readonly answer: Promise<Response> }> {
      writeFileSync(order, '');
      const answer = fetch(`${first.baseUrl}/projects/${game.id}/publish`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}` },
        body: publishForm(version, filesOf(version)),
        signal: AbortSignal.timeout(60_000),
      });
      answer.catch(() => {});
      await until(
        () => stateOf(first),
        (state) => state === 'T',
        'it is stopped',
        30_000,
      );
      return { answer };
    },
    /** Publishes at the second server as soon as it may. */
    publishThere: (version: string) =>
      until(
        () =>
          publishBuild(there, game.id, version, filesOf(version)).catch((error: unknown) => {
            assert.match(String(error), /another publish/);
            return null;
          }),
        (answer) => answer !== null,
        'the project is free',
        15_000,
      ),
    upkeep: () => runUpkeep({ dataDir, settings }),
    expectLive: (version: string) => expectLive([first, second], game.slug, version),
    expectTidy: () => expectTidy(db, dataDir, game.id),
  };
}

function clientOf(server: PlatformProcess, credential: string): PlatformClient {
  return createPlatformClient({
    baseUrl: server.baseUrl,
    send: fetch,
    credential: () => credential,
  });
}

async function signUp(server: PlatformProcess) {
  const idToken = await signInAgain(server);
  const owner = clientOf(server, idToken);
  await owner.call('openSession', { body: { id_token: idToken, role: 'developer' } });
  const { secret } = await owner.call('createToken', { body: { name: 'two' } });
  return { client: clientOf(server, secret), secret };
}

function signInAgain(server: PlatformProcess): Promise<string> {
  return signIn(server.issuer, 'svc-dev', 'Ada');
}

/** The state of a process: `T` for a stopped one. */
function stateOf({ child }: PlatformProcess): string {
  return /\) (\w)/.exec(readFileSync(`/proc/${child.pid}/stat`, 'utf8'))?.[1] ?? '';
}

/** Every server plays all files of the release, byte for byte. */
async function expectLive(
  servers: readonly PlatformProcess[],
  slug: string,
  version: string,
): Promise<void> {
  for (const { baseUrl } of servers) {
    for (const [path, text] of Object.entries(filesOf(version))) {
      const answer = await fetch(`${baseUrl}/play/${slug}/${path}`);
      assert.equal(await answer.text(), text, `${version} ${path}`);
    }
  }
}

/** The stored files are exactly those that rows refer to, and no attempt is open. */
async function expectTidy(db: Db, dataDir: string, gameId: string): Promise<void> {
  const { keys } = await usedFiles({ db }, gameId);
  const root = join(dataDir, 'projects');
  const stored = (await filesIn({ dataDir }, join('projects', gameId))).map((path) =>
    path.slice(root.length + 1),
  );
  assert.deepEqual(stored, [...keys].sort());
  const open = await db.selectFrom('attempts').select('id').where('state', '=', 'open').execute();
  assert.deepEqual(open, []);
}

test('a server that is stopped before its commit changes nothing when it continues, and the release of another stays whole', async (t) => {
  const two = await openTwo(t);
  const { answer } = await two.stopInPublish('stalled');
  await two.publishThere('2');
  two.first.child.kill('SIGCONT');
  const late = await answer;
  assert.equal(late.status, 503);
  assert.equal(late.headers.get('retry-after'), '1');
  assert.equal(await readErrorCode(late), 'change_interrupted');
  await two.expectLive('2');
  await two.expectTidy();
  const { releases } = await two.client.call('releases', { params: { id: two.game.id } });
  assert.deepEqual(
    releases.map((release) => release.version),
    ['2', '1'],
  );
});

test('a server that is stopped until its files were removed answers 503, and can publish the same build again', async (t) => {
  const two = await openTwo(t);
  const { answer } = await two.stopInPublish('2');
  await until(
    () => two.upkeep().then(() => two.db.selectFrom('attempts').select('state').execute()),
    (rows) => rows.some((row) => row.state === 'swept'),
    'the attempt is abandoned',
    15_000,
  );
  await two.expectTidy();
  two.first.child.kill('SIGCONT');
  assert.equal((await answer).status, 503);
  await two.expectLive('1');
  await publishBuild(two.client, two.game.id, '2', filesOf('2'));
  await two.expectLive('2');
  await two.expectTidy();
});

test('a server that is stopped for less than the lease publishes', async (t) => {
  const two = await openTwo(t);
  const { answer } = await two.stopInPublish('2');
  two.first.child.kill('SIGCONT');
  assert.equal((await answer).status, 201);
  await two.expectLive('2');
  await two.expectTidy();
});

test('the project of a killed publisher is free after the lease, and its files are removed', async (t) => {
  const two = await openTwo(t);
  await two.stopInPublish('killed');
  await two.first.kill();
  const started = performance.now();
  await two.publishThere('2');
  assert.ok(performance.now() - started < 12_000);
  await two.upkeep();
  await expectLive([two.second], two.game.slug, '2');
  await two.expectTidy();
});

test('many publishes at two servers leave exactly the files of their releases', async (t) => {
  const two = await openTwo(t);
  const answers = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const [client, version] = [index % 2 === 0 ? two.client : two.there, `v${index}`];
      return publishBuild(client, two.game.id, version, filesOf(version)).then(
        () => version,
        (error: unknown) => {
          assert.match(String(error), /another publish/);
          return null;
        },
      );
    }),
  );
  const published = answers.filter((version) => version !== null);
  assert.ok(published.length >= 1);
  const { releases } = await two.client.call('releases', { params: { id: two.game.id } });
  assert.deepEqual(releases.map(({ version }) => version).sort(), ['1', ...published].sort());
  await two.expectLive(releases.find((release) => release.live)?.version ?? '');
  await two.expectTidy();
});

test('a content that the store has lost is written again by the next publish that contains it', async () => {
  await using platform = await openPlatform();
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Lost' } });
  const play = async (path: string): Promise<string> =>
    (await fetch(`${platform.baseUrl}/play/${game.slug}/${path}`)).text();
  await publishBuild(ada.client, game.id, '1', filesOf('1'));
  const stored = await filesIn(platform, join('projects', game.id));
  const lost = stored.filter((path) => !path.endsWith('build.zip'));
  // One is missing, one is shorter, and of one only a compressed variant is missing.
  const [missing = '', short = ''] = lost.filter((path) => /\/[0-9a-f]{64}$/.test(path));
  const variant =
    lost.find(
      (path) => path.endsWith('.br') && !path.startsWith(missing) && !path.startsWith(short),
    ) ?? '';
  rmSync(missing);
  writeFileSync(short, 'short');
  rmSync(variant);
  await publishBuild(ada.client, game.id, '2', filesOf('1'));
  for (const [path, text] of Object.entries(filesOf('1'))) assert.equal(await play(path), text);
  assert.ok(existsSync(short));
  const added = (await filesIn(platform, join('projects', game.id))).filter(
    (path) => !stored.includes(path),
  );
  const names = new Set(
    added.map((path) =>
      path
        .replace(/\.(?:gzip|br)$/, '')
        .split('/')
        .at(-1),
    ),
  );
  assert.equal(names.size, 4, 'the three contents, and the ZIP');
});

test('a publish whose contents were deleted with another release during it fails, and nothing is left', async () => {
  await using platform = await openPlatform();
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Shared' } });
  const params = { id: game.id };
  await publishBuild(ada.client, game.id, 'old', { 'index.html': 'old', 'a.txt': 'shared' });
  await publishBuild(ada.client, game.id, 'live', { 'index.html': 'live' });
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  try {
    // Deletes the release as soon as the publish has begun to store its files.
    const publish = publishBuild(ada.client, game.id, 'new', {
      'index.html': 'new',
      'a.txt': 'shared',
      ...Object.fromEntries(Array.from({ length: 300 }, (_, file) => [`${file}.txt`, `${file}`])),
    });
    publish.catch(() => {});
    await until(
      () => filesIn(platform, join('projects', game.id)),
      (files) => files.length > 8,
      'the publish stores files',
      15_000,
    );
    await ada.client.open('deleteRelease', { params: { ...params, version: 'old' } });
    await assert.rejects(publish, { code: 'change_interrupted' });
    const { keys } = await usedFiles({ db }, game.id);
    const stored = await filesIn(platform, join('projects', game.id));
    assert.equal(stored.length, keys.size);
    const again = await publishBuild(ada.client, game.id, 'new', {
      'a.txt': 'shared',
      'index.html': 'new',
    });
    assert.equal(again.release.live, true);
    assert.equal(
      await (await fetch(`${platform.baseUrl}/play/${game.slug}/a.txt`)).text(),
      'shared',
    );
  } finally {
    await db.destroy();
  }
});

test('a publish during the deletion of an old release succeeds', async () => {
  await using platform = await openPlatform();
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Beside' } });
  const params = { id: game.id };
  const texts = (round: number) =>
    Array.from({ length: 100 }, (_, file) => [`${file}.txt`, `${round} ${file}`]);
  for (let round = 0; round < 5; round++) {
    const files = Object.fromEntries([['index.html', 'old'], ...texts(round)]);
    await publishBuild(ada.client, game.id, `old-${round}`, files);
    await publishBuild(ada.client, game.id, `live-${round}`, { 'index.html': 'live' });
    const [deleted, published] = await Promise.all([
      ada.client.open('deleteRelease', { params: { ...params, version: `old-${round}` } }),
      publishBuild(ada.client, game.id, `new-${round}`, { 'index.html': `new ${round}` }),
    ]);
    assert.equal(deleted.status, 204);
    assert.equal(published.release.live, true);
    const play = await fetch(`${platform.baseUrl}/play/${game.slug}/`);
    assert.equal(await play.text(), `new ${round}`);
  }
});
