// Claims on projects: an abandoned one can be taken over, one in use cannot.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, mkdir, readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../scripts/until.ts';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db } from '../src/database/schema.ts';
import { CLAIM_STALE_MS } from '../src/storage/claim-game.ts';
import { expectError } from './expect-error.ts';
import { openPlatform, type Person } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';

const LONG_AGO_MS = 3600 * 1000;

async function claims(db: Db, gameId: string) {
  const rows = await db.selectFrom('claims').selectAll().where('game_id', '=', gameId).execute();
  return rows.map(({ kind, owner }) => `${kind} ${owner}`);
}

test('a claim that could not be released is taken over by the next publish or store update', async () => {
  await using platform = await openPlatform();
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Left' } });
  const [owner = ''] = await readdir(join(platform.dataDir, 'spool'));
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  try {
    // As after a full disk prevented the deletion of the row.
    for (const kind of ['publish', 'media'] as const) {
      const row = { game_id: game.id, kind, owner, beat_at: Date.now() };
      await db.insertInto('claims').values(row).execute();
    }
    await publishBuild(ada.client, game.id, '1', { 'index.html': 'x' });
    const form = new FormData();
    form.set('metadata', '{"tagline":"Taken up"}');
    const { page } = await ada.client.call('updateStore', { params: { id: game.id }, form });
    assert.equal(page.tagline, 'Taken up');
    assert.deepEqual(await claims(db, game.id), []);
  } finally {
    await db.destroy();
  }
});

test('a claim of another server is valid while its heartbeat continues, and is taken over after', async () => {
  await using platform = await openPlatform();
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Held' } });
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const publish = (version: string) =>
    publishBuild(ada.client, game.id, version, { 'index.html': version });
  try {
    // A heartbeat in the future does not become stale during the test, even on a slow machine.
    const beat_at = Date.now() + LONG_AGO_MS;
    const row = { game_id: game.id, kind: 'publish', owner: 'elsewhere~1~aa', beat_at } as const;
    await db.insertInto('claims').values(row).execute();
    await expectError(publish('1'), 'publish_in_progress');
    assert.deepEqual(await claims(db, game.id), ['publish elsewhere~1~aa']);
    await db
      .updateTable('claims')
      .set({ beat_at: Date.now() - LONG_AGO_MS })
      .where('game_id', '=', game.id)
      .execute();
    assert.equal((await publish('1')).release.version, '1');
    assert.deepEqual(await claims(db, game.id), []);
  } finally {
    await db.destroy();
  }
});

/** Sends a publish except for its last byte. `finish` sends that and returns the status of the answer. */
async function startPublish(baseUrl: string, { idToken }: Person, gameId: string) {
  const sent = new Response(publishForm('held', { 'index.html': 'held' }));
  const bytes = Buffer.from(await sent.arrayBuffer());
  const outgoing = request(`${baseUrl}/projects/${gameId}/publish`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${idToken}`,
      'content-type': sent.headers.get('content-type') ?? '',
      'content-length': bytes.length,
    },
  });
  outgoing.on('error', () => {});
  outgoing.write(bytes.subarray(0, -1));
  return {
    async finish(): Promise<number | undefined> {
      outgoing.end(bytes.subarray(-1));
      const [answer] = await once(outgoing, 'response', { signal: AbortSignal.timeout(30_000) });
      answer.resume();
      return answer.statusCode;
    },
    [Symbol.dispose]: () => void outgoing.destroy(),
  };
}

test('a publish sends heartbeats while it runs, so that no other server takes its claim', async (t) => {
  await using platform = await openPlatform();
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Beats' } });
  const other = await ada.client.call('createProject', { body: { title: 'Beside' } });
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const beats = async (): Promise<Record<string, number>> => {
    const rows = await db.selectFrom('claims').selectAll().execute();
    return Object.fromEntries(
      rows.map(({ game_id, kind, beat_at }) => [
        `${game_id === game.id ? 'this' : 'other'} ${kind}`,
        beat_at,
      ]),
    );
  };
  t.mock.timers.enable({ apis: ['setInterval'] });
  using publish = await startPublish(platform.baseUrl, ada, game.id);
  try {
    const first = await until(beats, (rows) => 'this publish' in rows);
    const claimed = first['this publish'] ?? 0;
    const elsewhere = { owner: 'elsewhere~1~aa', beat_at: 1 };
    await db
      .insertInto('claims')
      .values([
        { game_id: game.id, kind: 'media', ...elsewhere },
        { game_id: other.game.id, kind: 'publish', ...elsewhere },
      ])
      .execute();
    // The claim is visible shortly before its timer starts.
    await until(
      async () => {
        t.mock.timers.tick(CLAIM_STALE_MS / 2);
        return beats();
      },
      (now) => (now['this publish'] ?? 0) > claimed,
      'the claim beats for the first time',
      30_000,
    );
    for (let round = 0; round < 3; round++) {
      await db.updateTable('claims').set({ beat_at: 1 }).execute();
      // Half of the time after which it counts as abandoned: one late heartbeat is harmless.
      t.mock.timers.tick(CLAIM_STALE_MS / 2);
      const rows = await until(
        beats,
        (now) => (now['this publish'] ?? 0) > 1,
        'the claim beats',
        30_000,
      );
      assert.deepEqual([rows['this media'], rows['other publish']], [1, 1]);
    }
    t.mock.timers.reset();
    await using second = await openPlatform({
      dataDir: platform.dataDir,
      settings: platform.settings,
    });
    const late = publishBuild(second.clientWith(await tokenOf(ada)), game.id, 'late', {
      'index.html': 'late',
    });
    await expectError(late, 'publish_in_progress');
    assert.equal(await publish.finish(), 201);
    assert.equal('this publish' in (await beats()), false);
  } finally {
    await db.destroy();
  }
});

async function tokenOf({ client }: Person): Promise<string> {
  return (await client.call('createToken', { body: { name: 'second' } })).secret;
}

test('a publish that takes over a claim removes the files that its owner left, and no others', async () => {
  await using platform = await openPlatform();
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Orphans' } });
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const [ours = ''] = await readdir(join(platform.dataDir, 'spool'));
  const folder = join(platform.dataDir, 'projects', game.id);
  const orphans = [
    join(folder, 'files', 'a'.repeat(64)),
    join(folder, 'files', `${'a'.repeat(64)}.gzip`),
    join(folder, 'builds', '01999999-0000-7000-8000-000000000000.zip'),
  ];
  const there = () =>
    Promise.all(
      orphans.map((path) =>
        access(path).then(
          () => true,
          () => false,
        ),
      ),
    );
  const publish = (version: string) =>
    publishBuild(ada.client, game.id, version, { 'index.html': version, 'same.txt': 'same' });
  try {
    await publish('first');
    const stale = { owner: 'elsewhere~1~aa', beat_at: Date.now() - CLAIM_STALE_MS - 1 };
    const lefts = { ours: { owner: ours, beat_at: Date.now() }, stale };
    for (const [whose, left] of Object.entries(lefts)) {
      for (const path of orphans) {
        await mkdir(join(path, '..'), { recursive: true });
        await writeFile(path, 'left');
      }
      // Without an abandoned claim, files without rows may belong to a publish in progress.
      await publish(`before-${whose}`);
      assert.deepEqual(await there(), [true, true, true]);
      await db
        .insertInto('claims')
        .values({ game_id: game.id, kind: 'publish', ...left })
        .execute();
      await publish(`over-${whose}`);
      assert.deepEqual(await there(), [false, false, false], whose);
    }
    assert.equal(
      await (await fetch(`${platform.baseUrl}/play/${game.slug}/same.txt`)).text(),
      'same',
    );
    const first = { params: { id: game.id, version: 'first' } };
    assert.equal((await ada.client.open('downloadBuild', first)).status, 200);
  } finally {
    await db.destroy();
  }
});

test('a starting server clears the claims and files of ended processes, and no others', async () => {
  await using platform = await openPlatform();
  const ada = await platform.person('Ada');
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const orphan = (gameId: string) =>
    join(platform.dataDir, 'projects', gameId, 'files', 'a'.repeat(64));
  const newGame = async (title: string): Promise<string> => {
    const { game } = await ada.client.call('createProject', { body: { title } });
    await publishBuild(ada.client, game.id, '1', { 'index.html': title });
    await writeFile(orphan(game.id), 'left');
    return game.id;
  };
  try {
    const stale = { owner: 'elsewhere~1~aa', beat_at: Date.now() - CLAIM_STALE_MS - 1 };
    const beating = { owner: 'elsewhere~1~bb', beat_at: Date.now() + LONG_AGO_MS };
    const dead = await newGame('Dead');
    const alive = await newGame('Alive');
    const page = await newGame('Page');
    const image = join(platform.dataDir, 'projects', page, 'media', 'left.png');
    await mkdir(join(image, '..'));
    await writeFile(image, 'left');
    const gone = '01999999-0000-7000-8000-000000000000';
    await mkdir(join(orphan(gone), '..'), { recursive: true });
    await writeFile(orphan(gone), 'left');
    await db
      .insertInto('claims')
      .values([
        { game_id: dead, kind: 'publish', ...stale },
        { game_id: alive, kind: 'publish', ...beating },
        { game_id: page, kind: 'media', ...stale },
        { game_id: gone, kind: 'media', ...stale },
      ])
      .execute();
    await using _second = await openPlatform({
      dataDir: platform.dataDir,
      settings: platform.settings,
    });
    assert.deepEqual(
      [await claims(db, dead), await claims(db, alive), await claims(db, gone)],
      [[], ['publish elsewhere~1~bb'], []],
    );
    const folders = await readdir(join(platform.dataDir, 'projects'));
    assert.deepEqual(
      folders.sort(),
      [dead, alive, page].sort(),
      'nothing is left of the deleted project',
    );
    await assert.rejects(access(orphan(dead)), { code: 'ENOENT' });
    await access(orphan(alive));
    await assert.rejects(access(image), { code: 'ENOENT' });
    await access(orphan(page));
    assert.equal((await readdir(join(orphan(dead), '..'))).length, 1, 'its page stays');
  } finally {
    await db.destroy();
  }
});

test('a publish during the deletion of an old release succeeds: the removal of files is not a publish', async () => {
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
