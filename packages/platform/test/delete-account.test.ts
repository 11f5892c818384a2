// The deletion of an account: what is deleted, what remains, and what happens at the same time.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db, Tables } from '../src/database/schema.ts';
import { writeNotice } from '../src/notices/write-notice.ts';
import { expectError } from './expect-error.ts';
import { makeAdmin } from './make-admin.ts';
import { chooseDatabase, freshName, type OpenPlatform, openPlatform } from './open-platform.ts';
import { startOutsideProvider } from './outside-provider.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { openUpload } from './publish-parts.ts';
import { openAttempts, spooledFiles, storedKeys } from './read-state.ts';
import { runUpkeep } from './run-upkeep.ts';

const DAY_MS = 24 * 3600 * 1000;
/** The people of these tests, each by the subject at the provider. */
const DEVELOPERS = [
  ...['sub-lovelace-1815', 'gone', 'again', 'old', 'late', 'half', 'owner', 'held'],
  ...['root', 'root-2', 'root-3', 'boss', 'many-0', 'many-1', 'many-2', 'many-3'],
]
  .map((sub) => `${sub}@mail.example`)
  .join(' ');

/** A platform with its own clock, and people with an e-mail address. ID tokens are dated to the second. */
async function openWithClock() {
  let now = Date.now();
  await using opening = new AsyncDisposableStack();
  const provider = opening.use(await startOutsideProvider());
  const databaseUrl = await chooseDatabase();
  const database = databaseUrl === null ? {} : { SVC_DATABASE_URL: databaseUrl };
  const settings = provider.settings({ SVC_DEVELOPERS: DEVELOPERS, ...database });
  const opened = await openPlatform({ dev: false, settings, now: () => now });
  const platform = opening.use(opened);
  const { db } = await openDatabase(opened.dataDir, databaseUrl);
  opening.defer(() => db.destroy());
  const moved = opening.move();
  return {
    ...{ platform, db },
    wait: (ms: number) => {
      now += ms;
    },
    sign(sub: string, name: string) {
      const iat = Math.floor(now / 1000);
      const email = { email: `${sub}@mail.example`, email_verified: true };
      return provider.sign({ ...{ sub, name, iat, exp: iat + 3000 }, ...email });
    },
    async signIn(sub: string, name: string) {
      const idToken = await this.sign(sub, name);
      const client = platform.clientWith(idToken);
      const body = { id_token: idToken, role: 'developer' } as const;
      const { user } = await client.call('openSession', { body });
      return { uid: user.uid, idToken, client };
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

type Site = Awaited<ReturnType<typeof openWithClock>>;
let site: Site;
let platform: OpenPlatform;
before(async () => {
  site = await openWithClock();
  ({ platform } = site);
});
after(() => site[Symbol.asyncDispose]());

const TABLES: Record<keyof Tables, true> = {
  ...{ users: true, avatars: true, tokens: true, games: true, slugs: true, game_tags: true },
  ...{ search_terms: true, releases: true, manifests: true, kept_manifests: true, media: true },
  ...{ previews: true, publishers: true, used_id_tokens: true, ended_sessions: true },
  ...{ daily_counts: true, uploads: true, attempts: true, removals: true, audit: true },
  ...{ reports: true, notices: true, secrets: true, backups: true, removal_holds: true },
};

/** Returns the columns in which the text occurs in any case, as `table.column`. */
async function columnsWith(db: Db, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of Object.keys(TABLES) as (keyof Tables)[]) {
    for (const row of await db.selectFrom(table).selectAll().execute()) {
      for (const [column, value] of Object.entries(row)) {
        const shown = value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);
        if (shown.toLowerCase().includes(text.toLowerCase())) found.push(`${table}.${column}`);
      }
    }
  }
  return [...new Set(found)].sort();
}

/** Returns the columns that contain the id. */
const columnsWithId = (uid: string) => columnsWith(site.db, uid);

async function avatarForm(): Promise<FormData> {
  const create = { width: 64, height: 64, channels: 3, background: '#336699' } as const;
  const form = new FormData();
  form.set('avatar', new Blob([new Uint8Array(await sharp({ create }).png().toBuffer())]));
  return form;
}

test('a deleted account leaves no personal data in any table, and no files', async () => {
  const ada = await site.signIn('sub-lovelace-1815', 'Augusta Kingword');
  const { client } = ada;
  const root = await makeAdmin(platform, await site.signIn('root', 'Root'));
  const { token } = await client.call('createToken', { body: { name: 'workshop-laptop' } });
  await client.call('createToken', { body: { name: 'workshop-server' } });
  await client.call('uploadAvatar', { form: await avatarForm() });
  const mail = { reports: false, releases: false, sign_ins: false };
  await client.call('editProfile', { body: { mail } });
  const { game } = await client.call('createProject', { body: { title: 'Engine' } });
  const params = { id: game.id };
  await publishBuild(client, game.id, '1', { 'index.html': 'one' }, 'by Kingword');
  await client.call('publish', {
    params,
    query: { preview: 'kingword-link' },
    form: publishForm('2', { 'index.html': 'two' }),
  });
  const publisher = { provider: 'github', repository: 'kingword/engine', repository_id: '7' };
  await client.call('createPublisher', { params, body: publisher as never });
  await openUpload(client, game.id, { 'index.html': 'three' }, '3');
  const { game: draft } = await client.call('createProject', { body: { title: 'Draft' } });
  await platform.clientWith(null).call('reportGame', {
    params: { slug: game.slug },
    body: { reason: 'broken' },
  });
  const texts = ['lovelace', 'kingword', 'workshop-'];
  const before = new Set((await Promise.all(texts.map((one) => columnsWith(site.db, one)))).flat());
  for (const column of [
    'users.email',
    'users.name',
    'users.sub',
    'tokens.name',
    'notices.detail',
  ]) {
    assert.ok(before.has(column), `the scan finds ${column}`);
  }

  await client.call('deleteAccount', {});

  // As a part of the e-mail address, and as the subject.
  assert.deepEqual(await columnsWith(site.db, 'lovelace'), []);
  assert.deepEqual(await columnsWith(site.db, 'workshop-'), []);
  // The audit trail keeps which repository was trusted.
  assert.deepEqual(await columnsWith(site.db, 'kingword'), ['audit.detail']);
  assert.deepEqual(await columnsWithId(ada.uid), [
    ...['audit.subject', 'audit.uid', 'reports.developer_uid', 'slugs.developer_uid'],
    ...['users.sub', 'users.uid'],
  ]);
  for (const id of [game.id, draft.id]) assert.deepEqual(await storedKeys(platform, id), []);
  assert.deepEqual(await columnsWith(site.db, token.id), ['audit.subject']);
  const row = await site.db
    .selectFrom('users')
    .selectAll()
    .where('uid', '=', ada.uid)
    .executeTakeFirstOrThrow();
  const { created_at, deleted_at, ...remainder } = row;
  assert.ok(Number(deleted_at) >= Number(created_at));
  assert.deepEqual(
    { ...remainder },
    {
      ...{ uid: ada.uid, issuer: 'deleted', sub: ada.uid, email: null, name: 'Deleted user' },
      ...{ avatar: null, name_edited: 0, avatar_edited: 0, role: 'player', role_chosen_at: null },
      ...{ avatar_id: null, suspended_at: null, suspended_reason: null, sessions_ended_at: null },
      ...{ quota_projects: null, quota_project_bytes: null, mail_off: null },
    },
  );
  const { records } = await root.client.call('audit', { query: { subject: ada.uid } });
  assert.deepEqual(
    records.map(({ action, actor }) => [action, actor?.uid, actor?.name]),
    [
      ['account.deleted', ada.uid, 'Deleted user'],
      ['developer.made', ada.uid, 'Deleted user'],
    ],
  );
  const deleted = await root.client.call('audit', { query: { subject: game.id } });
  assert.equal(deleted.records[0]?.action, 'project.deleted');
  const { reports } = await root.client.call('adminReports', {});
  assert.deepEqual(
    reports.map(({ developer, game: reported }) => [developer.name, reported.url]),
    [['Deleted user', null]],
  );
});

test('a deleted user is absent everywhere, and their credentials are rejected', async () => {
  const name = freshName('Gone');
  const gone = await site.signIn('gone', name);
  const root = await makeAdmin(platform, await site.signIn('root-2', 'Root'));
  const { secret } = await gone.client.call('createToken', { body: { name: 'ci' } });
  const { game } = await gone.client.call('createProject', { body: { title: 'Left' } });
  await publishBuild(gone.client, game.id, '1', { 'index.html': 'one' });
  const play = `${platform.baseUrl}/play/${game.slug}/`;
  assert.equal((await fetch(play)).status, 200);
  await gone.client.call('deleteAccount', {});
  assert.equal((await fetch(play)).status, 404);
  const nobody = platform.clientWith(null);
  const params = { uid: gone.uid };
  for (const call of [
    () => nobody.call('user', { params }),
    () => nobody.call('developer', { params }),
    () => root.client.call('adminUser', { params }),
    () => root.client.call('editUser', { params, body: { role: 'admin' } }),
    () => root.client.call('suspendUser', { params, body: {} }),
    () => root.client.call('restoreUser', { params }),
    () => root.client.call('endSessions', { params }),
    () => root.client.call('userTokens', { params }),
    () => root.client.call('revokeUserTokens', { params }),
  ]) {
    await expectError(call(), 'not_found');
  }
  const { developers } = await nobody.call('search', { query: { q: name } });
  assert.deepEqual(developers, []);
  for (const q of [name, 'Deleted', gone.uid]) {
    assert.deepEqual((await root.client.call('adminUsers', { query: { q } })).users, [], q);
  }
  await expectError(platform.clientWith(secret).call('me', {}), 'unauthenticated');
  await expectError(gone.client.call('me', {}), 'session_required');
  await expectError(gone.client.call('deleteAccount', {}), 'session_required');
});

test('an ID token from before the deletion creates no account; a later sign-in creates an empty one', async () => {
  const first = await site.signIn('again', 'Again');
  const { game } = await first.client.call('createProject', { body: { title: 'Again' } });
  site.wait(2_000);
  await first.client.call('deleteAccount', {});
  const body = { id_token: first.idToken };
  const nobody = platform.clientWith(null);
  await expectError(nobody.call('openSession', { body }), 'session_ended');
  const sameSecond = await site.sign('again', 'Again');
  await expectError(
    nobody.call('openSession', { body: { id_token: sameSecond } }),
    'session_ended',
  );
  assert.deepEqual(await columnsWith(site.db, 'again@mail'), []);
  site.wait(2_000);
  const second = await site.signIn('again', 'Again');
  assert.notEqual(second.uid, first.uid);
  // ID tokens of the deleted account are none of the new one.
  for (const old of [first.idToken, sameSecond]) {
    await expectError(platform.clientWith(old).call('me', {}), 'session_ended');
    await expectError(nobody.call('openSession', { body: { id_token: old } }), 'session_ended');
  }
  assert.deepEqual((await second.client.call('projects', {})).games, []);
  assert.deepEqual((await second.client.call('notices', {})).notices, []);
  // The address of the deleted game passes to nobody, not even to a new account.
  const wanted = { title: 'Again', slug: game.slug };
  await expectError(second.client.call('createProject', { body: wanted }), 'slug_taken');
  // The new account can be deleted as well.
  site.wait(2_000);
  await second.client.call('deleteAccount', {});
  await expectError(
    nobody.call('openSession', { body: { id_token: second.idToken } }),
    'session_ended',
  );
});

test('the upkeep forgets a deletion after 30 days', async () => {
  await using own = await openWithClock();
  const { client } = await own.signIn('old', 'Old');
  await client.call('deleteAccount', {});
  const marks = () => own.db.selectFrom('ended_sessions').selectAll().execute();
  const [mark] = await marks();
  assert.equal(Number(mark?.until) - Number(mark?.at), 30 * DAY_MS);
  await runUpkeep(own.platform, Number(mark?.until) - 1);
  assert.equal((await marks()).length, 1);
  await runUpkeep(own.platform, Number(mark?.until) + 3_600_000);
  assert.deepEqual(await marks(), []);
});

/** Begins a publish. The returned function sends the end of it and returns the status. */
async function beginPublish(credential: string, gameId: string): Promise<() => Promise<number>> {
  const form = publishForm('1', { 'index.html': 'one' });
  const encoded = new Request('http://x', { method: 'POST', body: form });
  const bytes = new Uint8Array(await encoded.arrayBuffer());
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const type = encoded.headers.get('content-type') ?? '';
  const sending = fetch(`${platform.baseUrl}/projects/${gameId}/publish`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': type },
    ...{ body: readable, duplex: 'half' },
  } as RequestInit);
  await writer.write(bytes.subarray(0, bytes.length - 40));
  return async () => {
    await writer.write(bytes.subarray(bytes.length - 40));
    await writer.close();
    const answer = await sending;
    await answer.arrayBuffer();
    return answer.status;
  };
}

test('an upload that ends after the deletion is rejected with 401 and leaves nothing', async () => {
  const late = await site.signIn('late', 'Late');
  const { client } = late;
  const { secret } = await client.call('createToken', { body: { name: 'ci' } });
  const ids: string[] = [];
  for (const title of ['One', 'Two']) {
    ids.push((await client.call('createProject', { body: { title } })).game.id);
  }
  const [one = '', two = ''] = ids;
  const finishes = [await beginPublish(late.idToken, one), await beginPublish(secret, two)];
  await client.call('deleteAccount', {});
  for (const finish of finishes) assert.equal(await finish(), 401);
  await runUpkeep(platform);
  for (const id of ids) assert.deepEqual(await storedKeys(platform, id), []);
  assert.deepEqual(await spooledFiles(platform), []);
  assert.deepEqual(await openAttempts(site.db), []);
});

test('of changes and two deletions at once, each is done or rejected, and nothing is left', async () => {
  for (let round = 0; round < 4; round++) {
    const busy = await site.signIn(`many-${round}`, 'Busy');
    const { client } = busy;
    const { game } = await client.call('createProject', { body: { title: 'Busy' } });
    const params = { id: game.id };
    const statusOf = (sent: Promise<{ status: number }>) =>
      sent.then(
        ({ status }) => status,
        ({ status }) => Number(status),
      );
    const form = await avatarForm();
    const body = { id_token: busy.idToken, role: 'developer' } as const;
    const changes = [
      client.open('createProject', { body: { title: 'More' } }),
      client.open('publish', { params, form: publishForm('1', { 'index.html': 'one' }) }),
      client.open('uploadAvatar', { form }),
      client.open('editProfile', { body: { name: 'Still here' } }),
      client.open('createToken', { body: { name: 'late token' } }),
      client.open('openSession', { body }),
    ].map(statusOf);
    const deletions = [client.open('deleteAccount', {}), client.open('deleteAccount', {})];
    const ended = await Promise.all(deletions.map(statusOf));
    assert.ok(ended.includes(204), String(ended));
    assert.deepEqual(
      ended.filter((status) => status !== 204 && status !== 401),
      [],
    );
    for (const status of await Promise.all(changes)) {
      assert.ok([200, 201, 401, 404].includes(status), String(status));
    }
    assert.deepEqual(await columnsWith(site.db, `many-${round}`), []);
    assert.deepEqual(await columnsWith(site.db, 'Still here'), []);
    assert.deepEqual(await columnsWith(site.db, 'late token'), []);
    const left = await columnsWithId(busy.uid);
    const kept = ['audit.detail', 'audit.subject', 'audit.uid', 'slugs.developer_uid'];
    assert.deepEqual(
      left.filter((column) => ![...kept, 'users.sub', 'users.uid'].includes(column)),
      [],
    );
    await runUpkeep(platform);
    assert.deepEqual(await storedKeys(platform, game.id), []);
  }
});

test('a deletion that fails at its end changes nothing', async () => {
  await using own = await openWithClock();
  const { client } = await own.signIn('half', 'Half');
  const { game } = await client.call('createProject', { body: { title: 'Half' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'one' });
  await client.call('createToken', { body: { name: 'ci' } });
  const mark = () => own.db.schema.alterTable('ended_sessions');
  await mark().renameTo('away').execute();
  await expectError(client.call('deleteAccount', {}), 'internal');
  assert.equal(own.platform.lines.filter((line) => line.startsWith('internal')).length, 1);
  own.platform.lines.splice(0);
  await own.db.schema.alterTable('away').renameTo('ended_sessions').execute();
  assert.equal((await client.call('tokens', {})).tokens.length, 1);
  const { games } = await client.call('projects', {});
  assert.deepEqual(
    games.map(({ id, version }) => [id, version]),
    [[game.id, '1']],
  );
  assert.notDeepEqual(await storedKeys(own.platform, game.id), []);
});

test('an administrator can delete the own account, and gets no more notices', async () => {
  const admin = await makeAdmin(platform, await site.signIn('boss', 'Boss'));
  const owner = await site.signIn('owner', 'Owner');
  const { game } = await owner.client.call('createProject', { body: { title: 'Reported' } });
  await publishBuild(owner.client, game.id, '1', { 'index.html': 'one' });
  await admin.client.call('deleteAccount', {});
  await platform.clientWith(null).call('reportGame', {
    params: { slug: game.slug },
    body: { reason: 'broken' },
  });
  // As a transaction that has read the user before the deletion.
  await writeNotice(site.db, { uid: admin.uid, at: Date.now(), kind: 'report_received' });
  assert.deepEqual(
    (await columnsWithId(admin.uid)).filter((column) => column.startsWith('notices')),
    [],
  );
});

test('a suspended user cannot delete the account, and a token cannot', async () => {
  const root = await makeAdmin(platform, await site.signIn('root-3', 'Root'));
  const held = await site.signIn('held', 'Held');
  const { secret } = await held.client.call('createToken', { body: { name: 'ci' } });
  await expectError(platform.clientWith(secret).call('deleteAccount', {}), 'session_only');
  await root.client.call('suspendUser', { params: { uid: held.uid }, body: {} });
  await expectError(held.client.call('deleteAccount', {}), 'account_suspended');
});
