// A credential, role or game is removed during a request: the request is rejected and changes nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { PLATFORM_ERRORS, type PlatformErrorCode } from '@svc/contracts/platform';
import { decodeJwt } from 'jose';
import sharp from 'sharp';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db } from '../src/database/schema.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { openAttempts, readState, spooledFiles } from './read-state.ts';

const DAY_MS = 24 * 3600 * 1000;

let platform: OpenPlatform;
let ada: Person;
let bob: Person;
let db: Db;
let now = Date.now();
/** A published game of Ada's with a release beside the live one. */
let id = '';
let picture: Buffer;
before(async () => {
  platform = await openPlatform({ now: () => now });
  ada = await platform.person('Ada');
  bob = await platform.person('Bob');
  ({ db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl));
  id = (await ada.client.call('createProject', { body: { title: 'Withdrawn' } })).game.id;
  await publishBuild(ada.client, id, '1', { 'index.html': 'one' });
  await publishBuild(ada.client, id, '2', { 'index.html': 'two', 'assets/a-DkZ3xQ9p.js': 'a()' });
  const image = { width: 40, height: 30, channels: 3, background: '#3366cc' } as const;
  picture = await sharp({ create: image }).png().toBuffer();
});
after(async () => {
  await db.destroy();
  await platform[Symbol.asyncDispose]();
});

/** A raw request that changes data. */
type Change = {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body: FormData | object;
};

/** A removal during the change, and how it is restored. */
type Withdrawal = {
  readonly code: PlatformErrorCode;
  readonly take: (tokenId: string) => Promise<unknown>;
  readonly giveBack?: () => Promise<unknown>;
};

const setRole = (role: 'developer' | 'player') => () =>
  db.updateTable('users').set({ role }).where('uid', '=', ada.uid).execute();
const setOwner = (developer_uid: string) =>
  db.updateTable('games').set({ developer_uid }).where('id', '=', id).execute();
const setToken = (change: { scopes?: string; projects?: string }) => (tokenId: string) =>
  db.updateTable('tokens').set(change).where('id', '=', tokenId).execute();
const passTime = (ms: number) => ({
  take: async () => {
    now += ms;
  },
  giveBack: async () => {
    now -= ms;
  },
});

const ROLE: Withdrawal = {
  code: 'developer_required',
  take: setRole('player'),
  giveBack: setRole('developer'),
};
const OWNER: Withdrawal = {
  code: 'not_owner',
  take: () => setOwner(bob.uid),
  giveBack: () => setOwner(ada.uid),
};
const OF_TOKENS: readonly Withdrawal[] = [
  {
    code: 'token_revoked',
    take: (tokenId) => ada.client.open('revokeToken', { params: { id: tokenId } }),
  },
  { code: 'token_expired', ...passTime(DAY_MS) },
  { code: 'scope_missing', take: setToken({ scopes: '["read"]' }) },
  {
    code: 'project_not_in_token',
    // An id that no project has.
    take: (tokenId) => setToken({ projects: JSON.stringify([ada.uid]) })(tokenId),
  },
  ROLE,
];
const SESSION_END: Withdrawal = { code: 'unauthenticated', ...passTime(DAY_MS) };

/**
 * Sends all but the last byte, waits until the server has let the caller in, takes away, and sends the last byte. The
 * status and code of the answer.
 */
async function changeWhile(
  { method, path, body }: Change,
  credential: string,
  isAdmitted: () => Promise<boolean>,
  take: () => Promise<unknown>,
): Promise<string> {
  const sent = new Response(body instanceof FormData ? body : JSON.stringify(body));
  const bytes = Buffer.from(await sent.arrayBuffer());
  const type = body instanceof FormData ? sent.headers.get('content-type') : 'application/json';
  const outgoing = request(`${platform.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${credential}`,
      'content-type': type ?? '',
      'content-length': bytes.length,
    },
  });
  const answered = once(outgoing, 'response', { signal: AbortSignal.timeout(60_000) });
  outgoing.write(bytes.subarray(0, -1));
  for (let tries = 0; !(await isAdmitted()); tries++) assert.ok(tries < 1000, 'never admitted');
  await take();
  outgoing.end(bytes.subarray(-1));
  const [answer] = await answered;
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return `${answer.statusCode} ${text === '' ? '' : (JSON.parse(text).error?.code ?? 'done')}`;
}

type By = 'token' | 'session';

/** Sends the change with a new token or the session, and removes something before the request is complete. */
async function sendChange(change: Change, by: By, take: Withdrawal['take']): Promise<string> {
  const body = { name: 'ci', expires_in_days: 1 };
  const { secret, token } = await ada.client.call('createToken', { body });
  let others = 0;
  // The first use of a token is stored. The use of a session is not, so other requests are answered first.
  const isAdmitted = async (): Promise<boolean> => {
    const { tokens } = await ada.client.call('tokens', {});
    const used = tokens.find((one) => one.id === token.id)?.last_used_at !== null;
    return by === 'token' ? used : ++others === 5;
  };
  const credential = by === 'token' ? secret : ada.idToken;
  return changeWhile(change, credential, isAdmitted, () => take(token.id));
}

async function expectRefused(change: Change, by: By, withdrawal: Withdrawal): Promise<void> {
  const { code, take, giveBack } = withdrawal;
  const what = `${change.method} ${change.path}: ${code}`;
  let before: object = {};
  try {
    const answer = await sendChange(change, by, async (tokenId) => {
      await take(tokenId);
      before = await readState(platform, db);
    });
    assert.equal(answer, `${PLATFORM_ERRORS[code].status} ${code}`, what);
    assert.deepEqual(await readState(platform, db), before, what);
    assert.deepEqual(await spooledFiles(platform), [], what);
    assert.deepEqual(await openAttempts(db), [], what);
  } finally {
    await giveBack?.();
  }
}

function avatarForm(): FormData {
  const form = new FormData();
  form.set('avatar', new Blob([new Uint8Array(picture)]), 'face.png');
  return form;
}

function storeForm(): FormData {
  const form = new FormData();
  form.set('metadata', '{"tagline":"Changed"}');
  form.set('cover', new Blob([new Uint8Array(picture)]), 'cover.png');
  return form;
}

test('a change with a token is rejected if the token, its scope or projects, the role or the game is removed meanwhile', async () => {
  const at = `/projects/${id}`;
  const build = { 'index.html': 'three', 'assets/b-DkZ3xQ9p.js': 'b()' };
  const changes: [change: Change, ...withdrawals: Withdrawal[]][] = [
    [{ method: 'POST', path: '/projects', body: { title: 'Never' } }],
    [{ method: 'PATCH', path: at, body: { title: 'Changed' } }, OWNER],
    [{ method: 'PUT', path: `${at}/store`, body: storeForm() }, OWNER],
    [{ method: 'POST', path: `${at}/publish`, body: publishForm('3', build) }, OWNER],
    [{ method: 'POST', path: `${at}/rollback`, body: { version: '1' } }, OWNER],
    [{ method: 'POST', path: `${at}/unpublish`, body: {} }, OWNER],
  ];
  for (const [change, ...more] of changes) {
    for (const withdrawal of [...OF_TOKENS, ...more]) {
      await expectRefused(change, 'token', withdrawal);
    }
    // The same request is accepted if nothing is removed.
    assert.match(await sendChange(change, 'token', async () => {}), /^20[01] done$/, change.path);
  }
});

test('a change with a session is rejected if the session ends, or the role or the game is removed meanwhile', async () => {
  const { token } = await ada.client.call('createToken', { body: { name: 'stays' } });
  const { release } = await publishBuild(ada.client, id, '4', { 'index.html': 'four' });
  assert.equal(release.live, true);
  const at = `/projects/${id}`;
  const changes: [change: Change, ...withdrawals: Withdrawal[]][] = [
    [{ method: 'POST', path: '/tokens', body: { name: 'never' } }, SESSION_END, ROLE],
    [{ method: 'PATCH', path: '/me', body: { name: 'Changed' } }, SESSION_END],
    [{ method: 'PUT', path: '/me/avatar', body: avatarForm() }, SESSION_END],
    [{ method: 'DELETE', path: '/me/avatar', body: {} }, SESSION_END],
    [{ method: 'DELETE', path: `/tokens/${token.id}`, body: {} }, SESSION_END],
    [{ method: 'PUT', path: `${at}/store`, body: storeForm() }, ROLE, OWNER],
    [{ method: 'DELETE', path: `${at}/releases/1`, body: {} }, SESSION_END, ROLE, OWNER],
    [{ method: 'DELETE', path: at, body: {} }, SESSION_END, ROLE, OWNER],
  ];
  for (const [change, ...withdrawals] of changes) {
    for (const withdrawal of withdrawals) await expectRefused(change, 'session', withdrawal);
    assert.match(await sendChange(change, 'session', async () => {}), /^20[014] /, change.path);
  }
});

test('a change is rejected from the same moment as its session', async () => {
  const { exp = 0 } = decodeJwt(ada.idToken);
  const end = (exp + 60) * 1000;
  const start = now;
  const change: Change = { method: 'PATCH', path: '/me', body: { name: 'Late' } };
  try {
    for (const [ms, answer] of [
      [end - 1, '200 done'],
      [end, '401 unauthenticated'],
    ] as const) {
      const taking = async (): Promise<void> => {
        now = ms;
      };
      assert.equal(await sendChange(change, 'session', taking), answer);
      const { status } = await fetch(`${platform.baseUrl}/me`, {
        headers: { authorization: `Bearer ${ada.idToken}` },
      });
      assert.equal(status, Number(answer.slice(0, 3)), 'a new request');
      now = start;
    }
  } finally {
    now = start;
  }
});

test('an upload may outlast its ID token', async () => {
  const { game } = await ada.client.call('createProject', { body: { title: 'Slow upload' } });
  const body = publishForm('1', { 'index.html': 'one' });
  const upload: Change = { method: 'POST', path: `/projects/${game.id}/publish`, body };
  const { take, giveBack } = passTime(DAY_MS);
  assert.equal(await sendChange(upload, 'session', take), '201 done');
  await giveBack();
});
