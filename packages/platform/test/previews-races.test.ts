// Staged releases and links that change at two servers on one PostgreSQL at once: no server fails, and what remains fits together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PlatformClient, PlatformError } from '@svc/contracts/platform';
import { until } from '../../../scripts/until.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { usedFiles } from '../src/storage/collect-unused.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { storedKeys } from './read-state.ts';
import { runUpkeep } from './run-upkeep.ts';
import { postgresMissing, startPostgres } from './start-postgres.ts';

const missing = postgresMissing();
const ROUNDS = 12;

/** What a change may answer that another change has overtaken. */
const OVERTAKEN: ReadonlySet<string> = new Set([
  ...['publish_in_progress', 'change_interrupted', 'busy'],
  ...['not_found', 'not_staged', 'not_published', 'release_live'],
]);

async function orOvertaken(change: Promise<unknown>): Promise<void> {
  await change.catch((error: unknown) => {
    const isExpected = error instanceof PlatformError && OVERTAKEN.has(String(error.code));
    if (!isExpected) throw error;
  });
}

test('publishes, promotions, revocations and deletions at once leave whole releases and links', {
  skip: missing ?? false,
}, async () => {
  using postgres = startPostgres();
  process.env['SVC_TEST_POSTGRES'] = postgres.url;
  await using first = await openPlatform();
  const { dataDir, settings } = first;
  await using second = await openPlatform({ dataDir, settings });
  const { client: owner } = await first.person('Ada');
  const { secret } = await owner.call('createToken', { body: { name: 'both' } });
  const clients = [first.clientWith(secret), second.clientWith(secret)];
  const { game } = await owner.call('createProject', { body: { title: 'Races' } });
  const params = { id: game.id };
  const files = (version: string) => ({ 'index.html': version, 'a.js': `// ${version}` });
  await publishBuild(owner, game.id, 'live', files('live'));
  const stage = (client: PlatformClient, version: string) =>
    client.call('publish', {
      params,
      query: { preview: 'pr' },
      form: publishForm(version, files(version)),
    });
  for (let round = 0; round < ROUNDS; round++) {
    const version = `v${round}`;
    const { preview } = await stage(owner, version);
    const [a = owner, b = owner] = round % 2 === 0 ? clients : clients.toReversed();
    await Promise.all(
      [
        stage(b, `${version}-b`),
        a.call('promote', { params, body: { version } }),
        b.open('revokePreview', { params: { ...params, preview: preview?.id ?? '' } }),
        owner.open('deleteRelease', { params: { ...params, version } }),
        b.call('createPreview', { params, body: { version, name: 'pr' } }),
      ]
        // Another order of the same changes in each round.
        .map((change, at, all) => all[(at + round) % all.length] ?? change)
        .map(orOvertaken),
    );
    const { previews } = await owner.call('previews', { params });
    const { releases } = await owner.call('releases', { params, query: { limit: '100' } });
    const versions = new Set(releases.map((release) => release.version));
    for (const one of previews) {
      assert.ok(versions.has(one.version), `${one.name} plays a release that exists`);
      const answer = await fetch(one.url);
      assert.equal(await answer.text(), one.version);
    }
    const live = releases.find((release) => release.live);
    // This process learns within a second of what the other one did.
    await until(
      async () => (await fetch(`${second.baseUrl}/play/${game.slug}/?${round}`)).text(),
      (played) => played === live?.version,
      `${live?.version} is played`,
    );
    assert.equal(live?.staged, false);
  }
  await runUpkeep(first);
  const { db } = await openDatabase(dataDir, settings.databaseUrl);
  const { keys } = await usedFiles({ db }, game.id);
  await db.destroy();
  assert.deepEqual(await storedKeys(first, game.id), [...keys].sort());
});
