// Deleted games that change at two servers on one PostgreSQL at once: each is there whole, or is removed whole.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Game, PLATFORM_LIMITS, PlatformError } from '@svc/contracts/platform';
import { openDatabase } from '../src/database/open-database.ts';
import { makeAdmin } from './make-admin.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { storedKeys } from './read-state.ts';
import { openUpkeep } from './run-upkeep.ts';
import { postgresMissing, startPostgres } from './start-postgres.ts';

const skip = postgresMissing() ?? false;
const GRACE_MS = PLATFORM_LIMITS.deleted_game_days * 24 * 3600 * 1000;
const ROUNDS = 12;

async function outcomeOf(change: Promise<unknown>): Promise<string> {
  return await change.then(
    () => 'done',
    (error: unknown) => {
      if (!(error instanceof PlatformError)) throw error;
      return String(error.code);
    },
  );
}

/** Two servers with one database, a developer at both, and an administrator. */
async function openTwo() {
  await using stack = new AsyncDisposableStack();
  const postgres = startPostgres();
  stack.defer(() => postgres[Symbol.dispose]());
  process.env['SVC_TEST_POSTGRES'] = postgres.url;
  const first = stack.use(await openPlatform());
  const { dataDir, settings } = first;
  const second = stack.use(await openPlatform({ dataDir, settings }));
  const { db } = await openDatabase(dataDir, settings.databaseUrl);
  stack.defer(() => db.destroy());
  const { client } = await first.person('Ada');
  const { secret } = await client.call('createToken', { body: { name: 'both' } });
  const running = stack.move();
  return {
    ...{ first, second, db, client, byToken: second.clientWith(secret) },
    async publishedGame(): Promise<Game> {
      const { game } = await client.call('createProject', { body: { title: 'Races' } });
      return (await publishBuild(client, game.id, '1', { 'index.html': 'one' })).game;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

test('of a restoration and removals by two processes, one wins, and the game is there whole or gone whole', {
  skip,
}, async () => {
  await using rig = await openTwo();
  const { first, second, client, db } = rig;
  const ahead = () => Date.now() + GRACE_MS + 1000;
  await using one = await openUpkeep(first, ahead);
  await using two = await openUpkeep(second, ahead);
  const outcomes: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const game = await rig.publishedGame();
    const params = { id: game.id };
    await client.call('deleteProject', { params });
    const changes = [
      () => outcomeOf(client.call('restoreProject', { params })),
      () => one.run().then(() => 'run'),
      () => two.run().then(() => 'run'),
    ];
    const done = await Promise.all(
      changes.map((_, at) => changes[(at + round) % changes.length]?.()),
    );
    // An upkeep of the first run may have looked before the deletion.
    await one.run();
    const restored = done.includes('done');
    outcomes.push(restored ? 'restored' : 'removed');
    const played = await fetch(`${first.baseUrl}/play/${game.slug}/`);
    await played.arrayBuffer();
    const files = await storedKeys(first, game.id);
    const records = await db
      .selectFrom('audit')
      .select('action')
      .where('subject', '=', game.id)
      .where('action', 'in', ['project.restored', 'project.removed'])
      .execute();
    assert.equal(records.length, 1, outcomes.join());
    assert.equal(records[0]?.action, `project.${outcomes.at(-1)}`);
    assert.equal(played.status, restored ? 200 : 404);
    assert.equal(files.length > 0, restored);
  }
  assert.equal(first.lines.filter((line) => line.startsWith('error')).length, 0);
});

test('publishes, deletions, take-downs and restorations at once leave a game with the status of its owner', {
  skip,
}, async () => {
  await using rig = await openTwo();
  const { first, client, byToken } = rig;
  const root = await makeAdmin(first, 'Root');
  for (let round = 0; round < ROUNDS; round++) {
    const game = await rig.publishedGame();
    const params = { id: game.id };
    const changes = [
      () => publishBuild(byToken, game.id, '2', { 'index.html': 'two' }),
      () => client.call('deleteProject', { params }),
      () => root.client.call('takeDown', { params, body: {} }),
      () => client.call('restoreProject', { params }),
    ];
    const ordered = changes.map((_, at) => changes[(at + round) % changes.length]);
    const outcomes = await Promise.all(ordered.map((change) => outcomeOf(change?.() as never)));
    const rejected = outcomes.filter((one) => one !== 'done' && one !== 'not_found');
    for (const code of rejected) assert.equal(code, 'taken_down');
    await outcomeOf(client.call('restoreProject', { params }));
    const { game: hidden } = await client.call('project', { params });
    assert.equal(hidden.status, 'draft');
    const { game: shown } = await root.client.call('restoreGame', { params, body: {} });
    assert.deepEqual([shown.status, shown.deleted_at], ['published', null]);
    const { releases } = await client.call('releases', { params });
    const text = await (await fetch(`${first.baseUrl}/play/${game.slug}/`)).text();
    assert.equal(text, releases.length === 2 ? 'two' : 'one');
  }
});
