// Notices: what they report, who sees them, and what counts as read.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectError } from './expect-error.ts';
import { makeAdmin } from './make-admin.ts';
import { freshName, type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { startOutsideProvider } from './outside-provider.ts';
import { publishBuild, publishForm } from './publish-build.ts';

/** A platform with its own clock, which goes on with each sign-in. ID tokens are dated to the second. */
async function openWithClock() {
  let now = Date.now();
  await using opening = new AsyncDisposableStack();
  const provider = opening.use(await startOutsideProvider());
  const settings = provider.settings();
  const site = opening.use(await openPlatform({ dev: false, settings, now: () => now }));
  const open = async (idToken: string, device: string | undefined) => {
    const body = { id_token: idToken, ...(device === undefined ? {} : { device }) };
    const opened = await site.clientWith(null).call('openSession', { body });
    return { ...opened, device: opened.device ?? assert.fail('no device') };
  };
  const sign = (sub: string) => {
    now += 10_000;
    const iat = Math.floor(now / 1000);
    return provider.sign({ sub, iat, exp: iat + 300 });
  };
  const opened = opening.move();
  return {
    platform: site,
    ...{ open, sign },
    async person(sub: string, device?: string) {
      const idToken = await sign(sub);
      const { user, device: given } = await open(idToken, device);
      return { uid: user.uid, idToken, client: site.clientWith(idToken), device: given };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

let platform: OpenPlatform;
let root: Person;
before(async () => {
  platform = await openPlatform();
  root = await makeAdmin(platform, 'Root');
});
after(() => platform[Symbol.asyncDispose]());

async function publishedGame({ client }: Person) {
  const { game } = await client.call('createProject', { body: { title: freshName('Game') } });
  return (await publishBuild(client, game.id, '1', { 'index.html': '1' })).game;
}

/** The notices of a user, oldest first. */
async function noticesOf({ client }: Person) {
  const { notices } = await client.call('notices', {});
  return notices
    .map(({ kind, game, version, detail, read }) => ({
      kind,
      game: game?.slug,
      version,
      detail,
      read,
    }))
    .reverse();
}

async function unread({ client }: Person): Promise<number | undefined> {
  return (await client.call('me', {})).user.unread_notices;
}

test('an owner is notified of each release that goes live and of each act of an administrator', async () => {
  const ada = await platform.person(freshName('Ada'));
  const game = await publishedGame(ada);
  const params = { id: game.id };
  const { secret } = await ada.client.call('createToken', { body: { name: 'ci' } });
  await publishBuild(platform.clientWith(secret), game.id, '2', { 'index.html': '2' });
  const form = publishForm('3', { 'index.html': '3' });
  await ada.client.call('publish', { params, query: { stage: 'true' }, form });
  const expected = [
    { kind: 'release_published', version: '1', detail: null },
    { kind: 'token_created', version: null, detail: 'ci' },
    { kind: 'release_published', version: '2', detail: 'ci' },
  ];
  const seen = async () =>
    (await noticesOf(ada)).map(({ kind, version, detail }) => ({ kind, version, detail }));
  assert.deepEqual(await seen(), expected);
  assert.equal(await unread(ada), 0, 'what users do themselves is no news');
  await ada.client.call('promote', { params, body: { version: '3' } });
  const act = (
    name: 'takeDown' | 'restoreGame',
    body: { version?: string; reason?: string } = {},
  ) => root.client.call(name, { params, body });
  await act('takeDown', { reason: 'Malware' });
  await act('takeDown', { reason: 'Malware' });
  await act('takeDown', { reason: 'A virus' });
  await act('restoreGame');
  await act('restoreGame');
  await act('takeDown', { version: '2', reason: 'Broken' });
  await act('restoreGame', { version: '2' });
  assert.deepEqual((await seen()).slice(expected.length), [
    { kind: 'release_published', version: '3', detail: null },
    { kind: 'game_taken_down', version: null, detail: 'Malware' },
    { kind: 'game_taken_down', version: null, detail: 'A virus' },
    { kind: 'game_restored', version: null, detail: null },
    { kind: 'release_taken_down', version: '2', detail: 'Broken' },
    { kind: 'release_restored', version: '2', detail: null },
  ]);
  assert.equal(await unread(ada), 5);
  assert.deepEqual(
    new Set((await noticesOf(ada)).map((one) => one.game)),
    new Set([game.slug, undefined]),
  );
});

test('suspensions are noticed, and again with another reason', async () => {
  await using site = await openWithClock();
  const admin = await makeAdmin(site.platform, await site.person('root'));
  const bob = await site.person('bob');
  const params = { uid: bob.uid };
  for (const reason of ['Spam', 'Spam', 'More spam']) {
    await admin.client.call('suspendUser', { params, body: { reason } });
  }
  await expectError(bob.client.call('notices', {}), 'account_suspended');
  for (let times = 0; times < 2; times++) await admin.client.call('restoreUser', { params });
  const later = await site.person('bob', bob.device);
  assert.deepEqual(
    (await noticesOf(later)).map(({ kind, detail, read }) => [kind, detail, read]),
    [
      ['account_suspended', 'Spam', false],
      ['account_suspended', 'More spam', false],
      ['account_restored', null, false],
      // The device is not known any more.
      ['signed_in', null, true],
    ],
  );
});

test('reading up to a notice leaves newer ones and those of others unread', async () => {
  const [cleo, dan] = [
    await platform.person(freshName('Cleo')),
    await platform.person(freshName('Dan')),
  ];
  for (const person of [cleo, dan]) {
    const game = await publishedGame(person);
    for (const name of ['takeDown', 'restoreGame', 'takeDown'] as const) {
      await root.client.call(name, { params: { id: game.id }, body: {} });
    }
  }
  assert.deepEqual([await unread(cleo), await unread(dan)], [3, 3]);
  const { notices } = await cleo.client.call('notices', {});
  const [, second] = notices;
  const read = (last: string) => cleo.client.call('readNotices', { body: { last } });
  await read(second?.id ?? '');
  assert.deepEqual([await unread(cleo), await unread(dan)], [1, 3]);
  await read('no-such-notice');
  assert.equal(await unread(cleo), 1);
  const first = await cleo.client.call('notices', { query: { limit: '3' } });
  const cursor = first.next_cursor ?? assert.fail();
  const rest = await cleo.client.call('notices', { query: { cursor } });
  assert.deepEqual(
    [...first.notices, ...rest.notices].map(({ id, read }) => [id, read]),
    notices.map(({ id }, at) => [id, at > 0]),
  );
  assert.equal(rest.next_cursor, null);
  const { secret } = await cleo.client.call('createToken', { body: { name: 'ci' } });
  await expectError(platform.clientWith(secret).call('notices', {}), 'session_only');
  assert.equal('unread_notices' in (await platform.clientWith(secret).call('me', {})).user, false);
});

test('a sign-in on an unknown device is a notice, once for each ID token', async () => {
  await using site = await openWithClock();
  const eve = await site.person('eve');
  const count = async () => (await noticesOf(eve)).filter((one) => one.kind === 'signed_in').length;
  assert.equal(await count(), 0, 'a new account');
  await site.person('eve', eve.device);
  assert.equal(await count(), 0, 'the same device');
  const idToken = await site.sign('eve');
  for (let times = 0; times < 2; times++) await site.open(idToken, undefined);
  assert.equal(await count(), 1);
  const twice = await site.sign('eve');
  await Promise.all(Array.from({ length: 4 }, () => site.open(twice, undefined)));
  assert.equal(await count(), 2);
  const { device: ofOther } = await site.person('fay');
  assert.notEqual(ofOther, eve.device);
  const wrong = ['x', `${eve.device}x`, eve.device.slice(1), ofOther];
  for (const [at, device] of wrong.entries()) {
    await site.person('eve', device);
    assert.equal(await count(), at + 3, device);
  }
  const admin = await makeAdmin(site.platform, await site.person('root'));
  await admin.client.call('endSessions', { params: { uid: eve.uid } });
  const later = await site.person('eve', eve.device);
  assert.notEqual(later.device, eve.device, 'ended sessions end the trust in devices');
  const signIns = (await noticesOf(later)).filter((one) => one.kind === 'signed_in');
  assert.equal(signIns.length, wrong.length + 3);
});
