// Trusted publishers: CI runs exchange their identity for a token that publishes to one project.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import {
  type CallAnswer,
  type CreatePublisher,
  ID_TOKEN_TYPE,
  TOKEN_EXCHANGE,
} from '@svc/contracts/platform';
import type { JWTPayload } from 'jose';
import type { Admin } from '../src/admin/act.ts';
import { restoreUser, suspendUser } from '../src/admin/change-user.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { expectError, readErrorCode } from './expect-error.ts';
import { asOperator } from './make-admin.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { startOutsideProvider } from './outside-provider.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { runUpkeep } from './run-upkeep.ts';

const MINUTE_MS = 60 * 1000;

/** A platform whose clock can be set, a developer with a game, and the issuer of a CI. */
async function setUp() {
  const stack = new AsyncDisposableStack();
  const clock = { ms: Date.now() };
  const platform = stack.use(await openPlatform({ now: () => clock.ms }));
  const ci = stack.use(await startOutsideProvider());
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Moonhop' } });
  return {
    ...{ platform, ci, ada, game, clock },
    claims: claimsOf(platform),
    async trust(more: Partial<CreatePublisher> = {}, who: Person = ada) {
      const { publisher } = await who.client.call('createPublisher', {
        params: { id: game.id },
        body: { provider: 'github', issuer: ci.issuer, repository: 'acme/moonhop', ...more },
      });
      return publisher;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

let runs = 0;

/** Returns the claims of GitHub Actions for a run. */
function claimsOf(platform: OpenPlatform) {
  return (more: JWTPayload = {}): JWTPayload => {
    const { repository = 'acme/moonhop', ref = 'refs/heads/main' } = more;
    return {
      ...{ aud: platform.baseUrl, sub: `repo:${repository}:ref:${ref}`, jti: `run-${++runs}` },
      ...{ repository, repository_id: '1234', repository_visibility: 'public', ref },
      workflow_ref: `${repository}/.github/workflows/release.yml@${ref}`,
      ...{ sha: 'a'.repeat(40), run_id: 77 },
      ...more,
    };
  };
}

function exchange(
  platform: OpenPlatform,
  id: string,
  idToken: string,
): Promise<CallAnswer<'exchangeToken'>> {
  return platform.clientWith(null).call('exchangeToken', {
    body: {
      grant_type: TOKEN_EXCHANGE,
      subject_token: idToken,
      subject_token_type: ID_TOKEN_TYPE,
      audience: id,
    },
  });
}

/** Expects a refusal whose message contains the text. */
async function refuses(
  call: Promise<unknown>,
  code: Parameters<typeof expectError>[1],
  text: RegExp,
): Promise<void> {
  assert.match((await expectError(call, code)).message, text);
}

test('the identity of a run is not exchanged while the owner of the project is suspended', async () => {
  await using rig = await setUp();
  const { platform, ci, ada, game, claims } = rig;
  await rig.trust();
  const suspend = (admin: Admin) => suspendUser(admin, ada.uid, 'Spam');
  await asOperator(platform, suspend);
  const identity = await ci.sign(claims());
  await refuses(exchange(platform, game.id, identity), 'account_suspended', /Reason: Spam/);
  await asOperator(platform, (admin) => restoreUser(admin, ada.uid));
  // The identity was not spent.
  const answer = await exchange(platform, game.id, identity);
  await publishBuild(platform.clientWith(answer.access_token), game.id, '1', { 'index.html': '1' });
});

test('a run of a trusted repository publishes with its identity, for 15 minutes and to one project', async () => {
  await using rig = await setUp();
  const { platform, ci, ada, game, clock, claims } = rig;
  const publisher = await rig.trust();
  assert.equal(publisher.audience, platform.baseUrl);
  assert.equal(publisher.repository_id, null);
  const answer = await exchange(platform, game.id, await ci.sign(claims()));
  assert.equal(answer.expires_in, 900);
  assert.equal(answer.token_type, 'Bearer');
  const run = platform.clientWith(answer.access_token);
  const published = await publishBuild(run, game.id, '1', { 'index.html': 'one' });
  const provenance = {
    ...{ issuer: ci.issuer, subject: 'repo:acme/moonhop:ref:refs/heads/main' },
    ...{ repository: 'acme/moonhop', ref: 'main', commit: 'a'.repeat(40) },
    commit_url: `${ci.issuer}/acme/moonhop/commit/${'a'.repeat(40)}`,
    run_url: `${ci.issuer}/acme/moonhop/actions/runs/77`,
  };
  assert.deepEqual(published.release.provenance, provenance);
  const { releases } = await platform
    .clientWith(null)
    .call('gameReleases', { params: { slug: game.slug } });
  assert.deepEqual(releases[0]?.provenance, provenance);
  // Published with a token that a person made.
  await publishBuild(ada.client, game.id, '2', { 'index.html': 'two' });
  const { live_release } = await ada.client.call('project', { params: { id: game.id } });
  assert.equal(live_release?.provenance, null);
  // Another project of the same developer, an account route, and the publishers themselves.
  const other = await ada.client.call('createProject', { body: { title: 'Other' } });
  await expectError(
    publishBuild(run, other.game.id, '1', { 'index.html': 'x' }),
    'project_not_in_token',
  );
  await expectError(run.call('createProject', { body: { title: 'New' } }), 'project_not_in_token');
  await expectError(run.call('tokens', {}), 'session_only');
  assert.equal((await run.call('me', {})).user.email, null);
  const params = { id: game.id };
  await expectError(
    run.call('createPublisher', { params, body: { provider: 'github', repository: 'eve/x' } }),
    'session_only',
  );
  await expectError(
    run.call('removePublisher', { params: { ...params, publisher: publisher.id } }),
    'session_only',
  );
  const { publishers } = await run.call('publishers', { params });
  assert.deepEqual(
    publishers.map((one) => [one.repository_id, one.last_used_at !== null]),
    [['1234', true]],
  );
  // It is no token that the owner sees among their own.
  assert.deepEqual((await ada.client.call('tokens', {})).tokens, []);
  clock.ms += 15 * 60_000;
  await expectError(run.call('publishers', { params }), 'token_expired');
});

test('the name of a private repository is shown to the owner only', async () => {
  await using rig = await setUp();
  const { platform, ci, ada, game, claims } = rig;
  await rig.trust();
  const idToken = await ci.sign(claims({ repository_visibility: 'private' }));
  const { access_token } = await exchange(platform, game.id, idToken);
  await publishBuild(platform.clientWith(access_token), game.id, '1', { 'index.html': 'one' });
  const slug = { slug: game.slug };
  const shown = await platform.clientWith(null).call('gameReleases', { params: slug });
  assert.equal(shown.releases[0]?.provenance, null);
  const page = await platform.clientWith(null).call('gamePage', { params: slug });
  assert.equal(JSON.stringify(page).includes('acme'), false);
  const own = await ada.client.call('releases', { params: { id: game.id } });
  assert.equal(own.releases[0]?.provenance?.repository, 'acme/moonhop');
});

test('an identity must be valid, new, and for this server', async () => {
  await using rig = await setUp();
  const { platform, ci, game, clock, claims } = rig;
  await rig.trust();
  const of = async (more: JWTPayload, header = {}) =>
    exchange(platform, game.id, await ci.sign(claims(more), header));
  const seconds = Math.floor(clock.ms / 1000);
  const code = 'unauthenticated';
  await refuses(of({ aud: 'https://pypi.example' }), code, /Its audience is not "http:/);
  await refuses(
    of({ aud: [platform.baseUrl, 'https://pypi.example'] }),
    code,
    /has several audiences/,
  );
  await refuses(of({ exp: seconds - 61 }), code, /has expired/);
  await refuses(of({ iat: seconds + 120 }), code, /in the future/);
  await refuses(of({ iat: seconds - 25 * 3600 }), code, /24 hours ago/);
  await refuses(of({ nbf: seconds + 600 }), code, /not valid/);
  await refuses(of({}, { kid: 'unknown' }), code, /not valid/);
  await refuses(exchange(platform, game.id, 'a.b.c'), code, /not a signed JWT/);
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  const body = Buffer.from(JSON.stringify({ iss: ci.issuer })).toString('base64url');
  await refuses(exchange(platform, game.id, `${none}.${body}.`), code, /not a signed JWT/);
  const good = await ci.sign(claims());
  // An issuer that is no text must not reach the database.
  const [head = '', , tail = ''] = good.split('.');
  for (const iss of [{}, [], [ci.issuer], [ci.issuer, 'x'], 7, null, `${ci.issuer}\0`]) {
    const payload = Buffer.from(JSON.stringify({ iss, aud: platform.baseUrl })).toString(
      'base64url',
    );
    const call = exchange(platform, game.id, `${head}.${payload}.${tail}`);
    await refuses(call, code, /not a signed JWT/);
  }
  for (const sub of ['', ' ', 'x'.repeat(256), 5, null, {}, ['repo:acme/moonhop']]) {
    const signed: JWTPayload = {};
    Reflect.set(signed, 'sub', sub);
    await refuses(of(signed), code, /subject/);
  }
  const torn = `${good.slice(0, -4)}AAAA`;
  await refuses(exchange(platform, game.id, torn), code, /signature/);
  await exchange(platform, game.id, good);
  await expectError(exchange(platform, game.id, good), 'id_token_used');
});

test('an identity is exchanged once, also with concurrent requests and without a jti', async () => {
  await using rig = await setUp();
  const { platform, ci, game, claims } = rig;
  await rig.trust();
  const { jti: _, ...unnamed } = claims();
  for (const idToken of [await ci.sign(claims()), await ci.sign(unnamed)]) {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => exchange(platform, game.id, idToken)),
    );
    const won = outcomes.filter(({ status }) => status === 'fulfilled');
    assert.equal(won.length, 1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        await expectError(Promise.reject(outcome.reason), 'id_token_used');
    }
  }
});

test('another issuer is not trusted, even if it signs the same claims', async () => {
  await using rig = await setUp();
  const { platform, ci, game, claims } = rig;
  await using hostile = await startOutsideProvider();
  await rig.trust();
  const call = exchange(platform, game.id, await hostile.sign(claims()));
  await refuses(call, 'not_trusted', /no trusted publisher with the issuer "http:/);
  assert.deepEqual(hostile.asked, [], 'the server asks no issuer that the project does not trust');
  // It names the trusted issuer, and signs with its own key.
  const forged = await hostile.sign(claims({ iss: ci.issuer }));
  await expectError(exchange(platform, game.id, forged), 'unauthenticated');
  // Its discovery document names another issuer, or is none, or redirects, or has no end.
  const documents = [{ issuer: ci.issuer, jwks_uri: `${ci.issuer}/keys` }, [], 'x', null];
  const replies = [
    ...documents.map((document) => ({ status: 200, body: JSON.stringify(document) })),
    { status: 302, body: '' },
    { status: 200, body: `"${'x'.repeat(600 * 1024)}"` },
  ];
  for (const reply of replies) {
    await using one = await startOutsideProvider();
    await rig.trust({ issuer: one.issuer });
    one.replies.set('/.well-known/openid-configuration', reply);
    const idToken = await one.sign(claims());
    await expectError(exchange(platform, game.id, idToken), 'identity_unavailable');
    assert.deepEqual(one.asked, ['/.well-known/openid-configuration']);
  }
});

test('a repository that was deleted and registered by somebody else is not trusted', async () => {
  await using rig = await setUp();
  const { platform, ci, game, claims } = rig;
  const publisher = await rig.trust();
  const of = async (more: JWTPayload) => exchange(platform, game.id, await ci.sign(claims(more)));
  await of({});
  await refuses(of({ repository_id: '9999' }), 'not_trusted', /repository id "9999"/);
  await refuses(of({ repository_id: undefined }), 'not_trusted', /repository "acme\/moonhop"/);
  await of({ repository: 'Acme/Moonhop' });
  const { publishers } = await rig.ada.client.call('publishers', { params: { id: game.id } });
  assert.equal(publishers.find(({ id }) => id === publisher.id)?.repository_id, '1234');
  // With the id given, not even the first use may have another.
  const pinned = await rig.trust({ repository: 'acme/new', repository_id: '5' });
  assert.equal(pinned.repository_id, '5');
  await expectError(of({ repository: 'acme/new', repository_id: '6' }), 'not_trusted');
  await of({ repository: 'acme/new', repository_id: '5' });
});

test('the id of a repository holds for all publishers of a project that name it', async () => {
  await using rig = await setUp();
  const { platform, ci, ada, game, claims } = rig;
  const of = async (more: JWTPayload) => exchange(platform, game.id, await ci.sign(claims(more)));
  const main = await rig.trust({ branch: 'main' });
  await rig.trust({ branch: 'release/*', repository: 'ACME/moonhop' });
  await of({});
  const foreign = { repository_id: '9999', ref: 'refs/heads/release/1' };
  await expectError(of(foreign), 'not_trusted');
  await of({ ref: 'refs/heads/release/1' });
  // One that is added later, and one that is added again.
  assert.equal((await rig.trust({ environment: 'live' })).repository_id, '1234');
  await ada.client.call('removePublisher', { params: { id: game.id, publisher: main.id } });
  assert.equal((await rig.trust({ branch: 'main' })).repository_id, '1234');
  await expectError(of({ repository_id: '9999' }), 'not_trusted');
  await expectError(rig.trust({ repository_id: '9999' }), 'invalid_input');
  // Another project decides by itself.
  const other = await ada.client.call('createProject', { body: { title: 'Other' } });
  const params = { id: other.game.id };
  const body = { provider: 'github', issuer: ci.issuer, repository: 'acme/moonhop' } as const;
  const { publisher } = await ada.client.call('createPublisher', { params, body });
  assert.equal(publisher.repository_id, null);
});

test('only one repository is pinned if two of the same name come at once', async () => {
  await using rig = await setUp();
  const { platform, ci, game, claims } = rig;
  await rig.trust();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 6 }, async (_, index) => {
      const repository_id = index % 2 === 0 ? '1' : '2';
      await exchange(platform, game.id, await ci.sign(claims({ repository_id })));
      return repository_id;
    }),
  );
  const ids = new Set(outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
  assert.equal(ids.size, 1);
});

test('every field of a publisher must match', async () => {
  await using rig = await setUp();
  const { platform, ci, ada, game, claims } = rig;
  const of = async (more: JWTPayload) => exchange(platform, game.id, await ci.sign(claims(more)));
  const only = async (fields: Partial<CreatePublisher>): Promise<void> => {
    const params = { id: game.id };
    const { publishers } = await ada.client.call('publishers', { params });
    for (const { id } of publishers) {
      await ada.client.call('removePublisher', { params: { ...params, publisher: id } });
    }
    await rig.trust(fields);
  };
  await only({ branch: 'release/*' });
  await of({ ref: 'refs/heads/release/1.2' });
  for (const ref of [
    ...['refs/heads/main', 'refs/heads/release/1/2', 'refs/heads/my/release/1'],
    ...['refs/tags/release/1', 'refs/pull/3/merge', 'release/1', ''],
  ]) {
    await expectError(of({ ref }), 'not_trusted');
  }
  await only({ environment: 'production' });
  await of({ environment: 'production' });
  await expectError(of({ environment: 'production-2' }), 'not_trusted');
  await expectError(of({}), 'not_trusted');
  await only({ workflow: 'release.yml' });
  await of({});
  for (const workflow_ref of [
    'acme/moonhop/.github/workflows/other.yml@refs/heads/main',
    'eve/moonhop/.github/workflows/release.yml@refs/heads/main',
    'acme/moonhop/.github/workflows/x/release.yml@refs/heads/main',
    'acme/moonhop/.github/workflows/release.yml',
  ]) {
    await expectError(of({ workflow_ref }), 'not_trusted');
  }
  await only({ subject: 'repo:acme/moonhop:ref:refs/tags/v*' });
  await of({ ref: 'refs/tags/v1.2' });
  await expectError(of({ ref: 'refs/tags/v1/x' }), 'not_trusted');
  await expectError(of({ sub: 'prefix:repo:acme/moonhop:ref:refs/tags/v1' }), 'not_trusted');
  // The letter K, and the Kelvin sign, whose lower case is k.
  await only({ repository: 'acme/kite' });
  await of({ repository: 'acme/Kite' });
  await expectError(of({ repository: 'acme/\u212Aite' }), 'not_trusted');
});

test('identities of GitLab, and of any other issuer', async () => {
  await using rig = await setUp();
  const { platform, ci, ada, game } = rig;
  const of = async (more: JWTPayload) => {
    const base = { aud: 'svc-at-acme', jti: `job-${++runs}` };
    const idToken = await ci.sign({ ...base, ...more });
    return await exchange(platform, game.id, idToken);
  };
  await rig.trust({
    provider: 'gitlab',
    repository: 'acme/games/moonhop',
    branch: 'main',
    audience: 'svc-at-acme',
  });
  const job = {
    ...{ sub: 'project_path:acme/games/moonhop:ref_type:branch:ref:main' },
    ...{ project_path: 'acme/games/moonhop', project_id: '42', project_visibility: 'public' },
    ...{ ref: 'main', ref_type: 'branch', sha: 'b'.repeat(40), job_id: '9' },
  };
  const { access_token } = await of(job);
  const run = platform.clientWith(access_token);
  const { release } = await publishBuild(run, game.id, '1', { 'index.html': 'one' });
  assert.equal(release.provenance?.run_url, `${ci.issuer}/acme/games/moonhop/-/jobs/9`);
  await expectError(of({ ...job, ref_type: 'tag' }), 'not_trusted');
  // Pipelines of merge requests: the branch is that of the source, and the job may run in another project.
  await expectError(of({ ...job, pipeline_source: 'merge_request_event' }), 'not_trusted');
  await expectError(of({ ...job, job_project_id: '7' }), 'not_trusted');
  await of({ ...job, pipeline_source: 'push', job_project_id: '42' });
  // GitHub's claims are no claims of GitLab.
  const { project_path: _, ...rest } = job;
  await expectError(of({ ...rest, repository: 'acme/games/moonhop' }), 'not_trusted');
  await rig.trust({
    ...{ provider: 'other', repository: null, audience: 'svc-at-acme' },
    subject: 'system:serviceaccount:games:**',
  });
  await of({ sub: 'system:serviceaccount:games:publisher' });
  await expectError(of({ sub: 'system:serviceaccount:games-2:publisher' }), 'not_trusted');
  const { publishers } = await ada.client.call('publishers', { params: { id: game.id } });
  assert.equal(publishers.length, 2);
});

test('a publisher that is removed is trusted no longer, and its tokens are revoked', async () => {
  await using rig = await setUp();
  const { platform, ci, ada, game, claims } = rig;
  const publisher = await rig.trust();
  const { access_token } = await exchange(platform, game.id, await ci.sign(claims()));
  const run = platform.clientWith(access_token);
  const params = { id: game.id, publisher: publisher.id };
  const eve = await platform.person('Eve');
  await expectError(eve.client.call('removePublisher', { params }), 'not_owner');
  await expectError(eve.client.call('publishers', { params }), 'not_owner');
  await ada.client.call('removePublisher', { params });
  await expectError(publishBuild(run, game.id, '1', { 'index.html': 'x' }), 'token_revoked');
  await expectError(exchange(platform, game.id, await ci.sign(claims())), 'not_trusted');
  await expectError(ada.client.call('removePublisher', { params }), 'not_found');
});

test('fields that do not fit the provider are rejected', async () => {
  await using rig = await setUp();
  const fails = (fields: Partial<CreatePublisher>) =>
    expectError(rig.trust(fields), 'invalid_input');
  const nothing = { repository: null };
  await fails(nothing);
  await fails({ provider: 'gitlab', ...nothing });
  await fails({ provider: 'other', ...nothing });
  await fails({ provider: 'other', subject: 'x' });
  await fails({ provider: 'other', ...nothing, subject: 'x', branch: 'main' });
  await fails({ provider: 'other', ...nothing, subject: 'x', issuer: null });
  await fails({ provider: 'gitlab', workflow: 'release.yml' });
  await fails({ issuer: 'ftp://ci.example' });
  await fails({ issuer: 'https://[' });
  await fails({ issuer: 'https://me@ci.example' });
  await fails({ issuer: 'https://ci.example/?a=b' });
  await fails({ issuer: 'https://ci.example/#a' });
  // Their own rules also check the id of the repository.
  for (const issuer of [
    'https://token.actions.githubusercontent.com',
    'https://token.actions.acme.ghe.com',
    'https://gitlab.com',
  ]) {
    await fails({ provider: 'other', ...nothing, subject: 'repo:acme/moonhop:**', issuer });
  }
  await fails({ repository: 'moonhop' });
  await fails({ repository: 'acme/moonhop/' });
  await fails({ repository: 'acme/m\u043e\u043enhop' });
  await fails({ branch: 'm\u0430in' });
  await fails({ repository_id: 'x' });
  await fails({ workflow: '../release.yml' });
  const { issuer } = await rig.trust({ issuer: 'https://ci.example/' });
  assert.equal(issuer, 'https://ci.example/', 'an issuer is compared as a text');
});

test('the same runs cannot be trusted twice', async () => {
  await using rig = await setUp();
  const again = (fields: Partial<CreatePublisher>) =>
    refuses(rig.trust(fields), 'invalid_input', /trusts these runs already/);
  await rig.trust();
  await again({ repository: 'Acme/MoonHop' });
  await again({ repository_id: '1234' });
  const pattern = { provider: 'other', repository: null, subject: 'job:*' } as const;
  await rig.trust(pattern);
  await again(pattern);
  for (const other of [
    ...[{ branch: 'main' }, { environment: 'main' }, { workflow: 'a.yml' }, { audience: 'svc' }],
    ...([{ repository: 'acme/other' }, { provider: 'gitlab' }, { subject: 'main' }] as const),
  ]) {
    await rig.trust(other);
    await again(other);
  }
});

test('a project has a limited number of publishers', async () => {
  await using rig = await setUp();
  for (let index = 0; index < 20; index++) await rig.trust({ branch: `b${index}` });
  await expectError(rig.trust(), 'quota_exceeded');
});

test('the exchange takes a form as RFC 8693 describes it', async () => {
  await using rig = await setUp();
  const { platform, ci, game, claims } = rig;
  await rig.trust();
  const fields = async () => ({
    grant_type: TOKEN_EXCHANGE,
    subject_token: await ci.sign(claims()),
    subject_token_type: ID_TOKEN_TYPE,
    audience: game.id,
  });
  const send = (body: string, type = 'application/x-www-form-urlencoded') =>
    fetch(`${platform.baseUrl}/auth/token`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
  const form = String(new URLSearchParams(await fields()));
  const answer = await send(`${form}&scope=`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(await readErrorCode(await send(`${form}&audience=${game.id}`)), 'invalid_input');
  assert.equal(await readErrorCode(await send(`${form}&actor_token=x`)), 'invalid_input');
  assert.equal(await readErrorCode(await send('')), 'invalid_input');
  assert.equal(
    await readErrorCode(await send(form.replace('token-exchange', 'password'))),
    'invalid_input',
  );
  assert.equal(
    await readErrorCode(await send(JSON.stringify(await fields()), 'application/json')),
    'unsupported_media_type',
  );
  for (const audience of ['unknown', '%00']) {
    const code = await readErrorCode(await send(form.replace(game.id, audience)));
    assert.ok(code === 'not_trusted' || code === 'invalid_input', code);
  }
});

test('a publish may outlast its token; tokens and identities that have expired are deleted', async () => {
  await using rig = await setUp();
  const { platform, ci, ada, game, clock, claims } = rig;
  await rig.trust();
  const { access_token } = await exchange(platform, game.id, await ci.sign(claims()));
  const run = platform.clientWith(access_token);
  const encoded = new Response(publishForm('1', { 'index.html': 'one' }));
  const bytes = new Uint8Array(await encoded.arrayBuffer());
  // The second half is sent when the server has begun to read, and the token has expired.
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const halves = async function* () {
    yield bytes.subarray(0, 100);
    await begun;
    clock.ms += 16 * MINUTE_MS;
    yield bytes.subarray(100);
  };
  const published = run.call('publish', {
    params: { id: game.id },
    form: {
      type: encoded.headers.get('content-type') ?? '',
      bytes: ReadableStream.from(halves()),
    },
  });
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  // The attempt is opened after the token was checked.
  while ((await db.selectFrom('attempts').selectAll().execute()).length === 0) await setTimeout(10);
  begin();
  assert.equal((await published).release.live, true);
  await expectError(run.call('publishers', { params: { id: game.id } }), 'token_expired');
  const rows = async () => [
    (await db.selectFrom('tokens').selectAll().execute()).length,
    (await db.selectFrom('used_id_tokens').selectAll().execute()).length,
  ];
  // One identity is that of the CI, the other one that of the sign-in.
  assert.deepEqual(await rows(), [1, 2]);
  await ada.client.call('createToken', { body: { name: 'mine', expires_in_days: 1 } });
  // Marks of identities are kept for an hour longer, because clocks differ.
  await runUpkeep(platform, clock.ms + 30 * MINUTE_MS);
  assert.deepEqual(await rows(), [2, 2]);
  await runUpkeep(platform, clock.ms + 48 * 60 * MINUTE_MS);
  assert.deepEqual(await rows(), [1, 0], 'only the token of the person is left');
  await db.destroy();
});
