// The limits against abuse, through HTTP: each at its edge, for user, address and network, and what answers state about them.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { PlatformLimits } from '@svc/contracts/platform';
import { readSettings } from '../src/index.ts';
import { readErrorCode } from './expect-error.ts';
import { makeZip } from './make-zip.ts';
import { chooseDatabase, type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { openUpload, partOf, publishParts, sendPart } from './publish-parts.ts';
import { requestRaw } from './raw-request.ts';
import { signIn } from './sign-in.ts';

/** Two in one /24, one in another. */
const HOME = '203.0.113.1';
const NEIGHBOR = '203.0.113.2';
const ABROAD = '198.51.100.1';

type Options = {
  readonly limits?: Partial<PlatformLimits>;
  /** Default: the clock and the buckets of the settings. */
  readonly now?: () => number;
  readonly rateLimit?: 'own' | 'off';
  readonly trustProxy?: string | null;
};

/** A platform behind a proxy, so that a test chooses the addresses of its requests. */
async function openBehindProxy(
  t: TestContext,
  { limits = {}, now, rateLimit, trustProxy = '127.0.0.0/8' }: Options,
): Promise<OpenPlatform> {
  const databaseUrl = await chooseDatabase();
  const settings = { ...readSettings({}), databaseUrl, trustProxy, rateLimit: rateLimit ?? null };
  const clock = now === undefined ? {} : { now };
  // The machine may be busy.
  const platform = await openPlatform({ limits, settings, ratePatienceMs: 10_000, ...clock });
  t.after(() => platform[Symbol.asyncDispose]());
  return platform;
}

type Request = {
  readonly by?: Person;
  readonly from?: string;
  readonly method?: string;
  readonly json?: unknown;
  readonly body?: NonNullable<RequestInit['body']>;
};

/** Sends a request, and returns the answer with its body read. */
async function send(
  { baseUrl }: OpenPlatform,
  path: string,
  { by, from = HOME, method = 'POST', json, body }: Request,
): Promise<Response> {
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      'x-forwarded-for': from,
      ...(by === undefined ? {} : { authorization: `Bearer ${by.idToken}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body }),
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  } as RequestInit);
  const bytes = await answer.arrayBuffer();
  return new Response(bytes.byteLength === 0 ? null : bytes, answer);
}

/** What the answer states about a limit: `r` and `t` of RateLimit, `q` and `w` of RateLimit-Policy. */
function stated({ headers }: Response, limit: string): Readonly<Record<string, number>> | null {
  const found = ['ratelimit', 'ratelimit-policy'].flatMap((name) =>
    (headers.get(name) ?? '').split(', ').filter((item) => item.startsWith(`"${limit}";`)),
  );
  if (found.length === 0) return null;
  const parameters = found.flatMap((item) => [...item.matchAll(/;([rtqw])=(\d+)/g)]);
  return Object.fromEntries(parameters.map(([, name, value]) => [name, Number(value)]));
}

async function createGame(platform: OpenPlatform, by: Person, title = 'Game'): Promise<string> {
  const answer = await send(platform, '/projects', { by, json: { title } });
  assert.equal(answer.status, 201);
  return ((await answer.json()) as { game: { id: string } }).game.id;
}

test('answers state what is left of a limit, and a request is accepted after the stated time', async (t) => {
  let now = Date.now();
  const options = {
    now: () => now,
    rateLimit: 'own',
    limits: { rate_searches_per_minute: 3 },
  } as const;
  const platform = await openBehindProxy(t, options);
  const search = () => send(platform, '/search?q=x', { method: 'GET' });
  for (const r of [2, 1, 0]) {
    const answer = await search();
    assert.equal(answer.status, 200);
    assert.deepEqual(stated(answer, 'searches'), { r, t: 20, q: 3, w: 60 });
  }
  now += 500;
  const rejected = await search();
  assert.equal(await readErrorCode(rejected.clone()), 'rate_limited');
  assert.deepEqual(stated(rejected, 'searches'), { r: 0, t: 20, q: 3, w: 60 });
  assert.equal(rejected.headers.get('retry-after'), '20');
  now += 19_499;
  const early = await search();
  assert.deepEqual([early.status, early.headers.get('retry-after')], [429, '1']);
  now += 1;
  const accepted = await search();
  assert.deepEqual([accepted.status, stated(accepted, 'searches')?.['r']], [200, 0]);
  assert.equal(accepted.headers.get('ratelimit-policy'), '"searches";q=3;w=60');
  assert.equal(accepted.headers.get('ratelimit'), '"searches";r=0;t=20');
  const exposed = accepted.headers.get('access-control-expose-headers') ?? '';
  for (const name of ['RateLimit', 'RateLimit-Policy', 'Retry-After']) {
    assert.ok(exposed.split(', ').includes(name), name);
  }
});

test('an answer states all limits that the request counts towards', async (t) => {
  const platform = await openBehindProxy(t, {});
  const ada = await platform.person('Ada');
  const created = await send(platform, '/projects', { by: ada, json: { title: 'Game' } });
  assert.deepEqual(
    [...(created.headers.get('ratelimit-policy') ?? '').matchAll(/"(\w+)"/g)].map(([, one]) => one),
    ['writes', ...['user', 'address', 'network'].map((scope) => `daily_projects_per_${scope}`)],
  );
  assert.equal(stated(created, 'daily_projects_per_user')?.['r'], 99);
  const published = await send(platform, `/projects/${await createGame(platform, ada)}/publish`, {
    by: ada,
    body: publishForm('1', { 'index.html': 'x' }),
  });
  assert.equal(published.status, 201);
  assert.equal(stated(published, 'daily_uploads_per_user')?.['r'], 1999);
  const policy = published.headers.get('ratelimit-policy') ?? '';
  assert.match(policy, /"daily_upload_bytes_per_user";q=137438953472;w=86400;qu="content-bytes"/);
  const read = await send(platform, '/me', { by: ada, method: 'GET' });
  assert.equal(read.headers.get('ratelimit'), null, 'reading has no limit');
});

test('new projects are limited for user, address and network; failed ones do not count', async (t) => {
  const limits = {
    daily_projects_per_user: 2,
    daily_projects_per_address: 3,
    daily_projects_per_network: 5,
  };
  const platform = await openBehindProxy(t, { limits });
  const [ada, bob, cay, dan] = await Promise.all(
    ['Ada', 'Bob', 'Cay', 'Dan'].map((name) => platform.person(name)),
  );
  assert.ok(ada && bob && cay && dan);
  const create = async (by: Person, from: string, slug?: string) => {
    const json = { title: 'Game', ...(slug === undefined ? {} : { slug }) };
    const answer = await send(platform, '/projects', { by, from, json });
    if (answer.status !== 429) return answer.status;
    assert.equal(await readErrorCode(answer.clone()), 'rate_limited');
    assert.ok(Number(answer.headers.get('retry-after')) > 3600, 'a part of a day');
    const { error } = (await answer.json()) as { error: { message: string } };
    return error.message.replace(/\. Wait \d+ h$/, '');
  };
  const rejected = (whose: string, most: number) =>
    `Too many new projects ${whose} in a day. Allowed: ${most}`;
  assert.equal(await create(ada, HOME, 'mine'), 201);
  assert.equal(await create(ada, HOME, 'admin'), 400, 'a reserved slug');
  assert.equal(await create(ada, HOME), 201);
  assert.equal(await create(ada, HOME), rejected('of this account', 2));
  assert.equal(await create(ada, ABROAD), rejected('of this account', 2));
  assert.equal(await create(bob, HOME, 'mine'), 409, 'a taken slug');
  assert.equal(await create(bob, HOME), 201);
  assert.equal(await create(cay, HOME), rejected('from this address', 3));
  assert.equal(await create(bob, NEIGHBOR), 201);
  assert.equal(await create(cay, NEIGHBOR), 201);
  assert.equal(await create(cay, '203.0.113.3'), rejected('from this network', 5));
  assert.equal(await create(cay, ABROAD), 201);
  assert.equal(await create(dan, ABROAD), 201);
  assert.equal(await create(dan, '::ffff:203.0.113.200'), rejected('from this network', 5));
});

test('new accounts are limited for address and network; known users still sign in', async (t) => {
  const limits = { daily_sign_ups_per_address: 2, daily_sign_ups_per_network: 3 };
  const platform = await openBehindProxy(t, { limits });
  const { issuer, clientId } = platform.running;
  const enter = async (name: string, from: string) => {
    const json = { id_token: await signIn(issuer, clientId, name) };
    return (await send(platform, '/auth/session', { from, json })).status;
  };
  const v6 = (host: string) => `2001:db8:1:${host}`;
  for (const [at, ...[other, third, far]] of [
    [HOME, HOME, NEIGHBOR, ABROAD],
    [v6('1::1'), v6('1:2::'), v6('2::1'), '2001:db8:2::1'],
  ] as const) {
    const statuses: number[] = [];
    for (const [name, from] of [
      ['a', at],
      ['b', other],
      ['c', at],
      ['c', third],
      ['d', third],
      ['a', at],
      ['d', far],
    ] as const) {
      statuses.push(await enter(`${name} of ${at}`, from));
    }
    assert.deepEqual(statuses, [200, 200, 429, 200, 429, 200, 200], at);
  }
});

test('uploads of every kind count towards the limit of a day', async (t) => {
  const limits = {
    daily_uploads_per_user: 4,
    daily_uploads_per_address: 5,
    daily_uploads_per_network: 6,
  };
  const platform = await openBehindProxy(t, { limits });
  const ada = await platform.person('Ada');
  const bob = await platform.person('Bob');
  const id = await createGame(platform, ada);
  const bobs = await createGame(platform, bob);
  const open = (by: Person, game: string, content: string, from?: string) =>
    send(platform, `/projects/${game}/uploads`, {
      by,
      json: { files: [{ path: 'index.html', bytes: 1, sha256: content.repeat(64) }] },
      ...(from === undefined ? {} : { from }),
    });
  const uploads: (() => Promise<Response>)[] = [
    () =>
      send(platform, `/projects/${id}/publish?dry_run=true`, {
        by: ada,
        body: publishForm('1', { 'index.html': 'x' }),
      }),
    () => {
      const body = new FormData();
      body.set('metadata', '{}');
      return send(platform, `/projects/${id}/store`, { by: ada, method: 'PUT', body });
    },
    () => {
      const body = new FormData();
      body.set('avatar', new Blob(['no picture']), 'a.png');
      return send(platform, '/me/avatar', { by: ada, method: 'PUT', body });
    },
    () => open(ada, id, 'a'),
  ];
  for (const [index, upload] of uploads.entries()) {
    assert.equal(stated(await upload(), 'daily_uploads_per_user')?.['r'], 3 - index, `${index}`);
  }
  const again = await open(ada, id, 'a');
  assert.deepEqual(
    [again.status, stated(again, 'daily_uploads_per_user')],
    [200, null],
    'it continues an upload',
  );
  assert.equal((await open(ada, id, 'b')).status, 429);
  assert.equal((await open(bob, bobs, 'a')).status, 200);
  assert.equal((await open(bob, bobs, 'b')).status, 429, 'the address');
  assert.equal((await open(bob, bobs, 'b', NEIGHBOR)).status, 200);
  assert.equal((await open(bob, bobs, 'c', NEIGHBOR)).status, 429, 'the network');
  assert.equal((await open(bob, bobs, 'c', ABROAD)).status, 200);
});

test('the bytes of forms are counted as they arrive, and too many are refused at their edge', async (t) => {
  let now = Date.now();
  const limits = { daily_upload_bytes_per_address: 3_000_000 };
  const platform = await openBehindProxy(t, { now: () => now, rateLimit: 'own', limits });
  const ada = await platform.person('Ada');
  const id = await createGame(platform, ada);
  // An ID token would expire meanwhile.
  const { secret } = await ada.client.call('createToken', { body: { name: 'ci' } });
  const path = `/projects/${id}/publish?dry_run=true`;
  const form = new Response(publishForm('1', { 'index.html': 'x', 'a.bin': randomBytes(900_000) }));
  const type = form.headers.get('content-type') ?? '';
  const bytes = Buffer.from(await form.arrayBuffer());
  const post = async (body: NonNullable<RequestInit['body']>) => {
    const answer = await fetch(`${platform.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': type,
        'x-forwarded-for': HOME,
      },
      ...{ body, duplex: 'half' },
    } as RequestInit);
    await answer.arrayBuffer();
    return { status: answer.status, left: stated(answer, 'daily_upload_bytes_per_address')?.['r'] };
  };
  const chunked = () => new Blob([bytes]).stream();
  const left = (times: number) => 3_000_000 - times * bytes.length;
  assert.deepEqual(await post(bytes), { status: 200, left: left(1) });
  assert.deepEqual(await post(chunked()), { status: 200, left: left(2) });
  assert.deepEqual(await post(bytes), { status: 200, left: left(3) });
  assert.equal((await post(bytes)).status, 429);
  assert.equal((await post(chunked())).status, 429);
  // After the declared length, and without any byte of the body.
  const refused = await requestRaw({
    port: platform.running.port,
    path,
    method: 'POST',
    headers: {
      'X-Forwarded-For': HOME,
      Authorization: `Bearer ${secret}`,
      'Content-Type': type,
      'Content-Length': String(left(3) + 1),
      Expect: '100-continue',
    },
  });
  assert.equal(refused.status, 429);
  const wait = Math.ceil(((bytes.length - left(3)) * 86_400) / 3_000_000);
  now += (wait - 1) * 1000;
  assert.equal((await post(bytes)).status, 429);
  now += 1000;
  assert.equal((await post(bytes)).status, 200);
  // It is refused while it arrives.
  const long = [bytes.subarray(0, -100), randomBytes(8_000_000)];
  assert.equal((await post(new Blob(long).stream())).status, 429);
});

test('what an upload declares and does not send is not counted', async (t) => {
  const platform = await openBehindProxy(t, {
    limits: { daily_upload_bytes_per_user: 20_000_000 },
  });
  const ada = await platform.person('Ada');
  const id = await createGame(platform, ada);
  // The first part is unknown, so the rest is not read.
  const body = new FormData();
  body.set('unknown', 'x');
  body.set('build', new Blob([Buffer.alloc(18_000_000)]), 'b.zip');
  for (let times = 0; times < 3; times++) {
    const answer = await send(platform, `/projects/${id}/publish`, { by: ada, body });
    assert.equal(await readErrorCode(answer), 'invalid_input');
  }
  const build = publishForm('1', makeZip({ 'index.html': 'x' }));
  const published = await send(platform, `/projects/${id}/publish`, { by: ada, body: build });
  assert.equal(published.status, 201);
});

test('the bytes of parts count, and a part that does not fit is refused', async (t) => {
  const limits = { upload_part_bytes: 10_000, daily_upload_bytes_per_user: 25_000 };
  const platform = await openBehindProxy(t, { limits });
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Parts' } });
  await publishParts(ada.client, game.id, '1', { 'index.html': 'x'.repeat(5_000) });
  const contents = Buffer.alloc(25_000, 'y');
  const files = { 'index.html': contents };
  const upload = await openUpload(ada.client, game.id, files);
  const part = (number: number) =>
    sendPart(ada.client, game.id, upload, number, partOf(upload, contents, number));
  await part(0);
  await part(1);
  await assert.rejects(part(2), { code: 'rate_limited', status: 429 });
  const path = `/projects/${game.id}/uploads/${upload.id}/parts/2`;
  const refused = await fetch(`${platform.baseUrl}${path}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${ada.idToken}`,
      'content-type': 'application/octet-stream',
    },
    body: Buffer.alloc(5_000),
  });
  const wait = Number(refused.headers.get('retry-after'));
  assert.ok(wait > 60, `${wait}`);
  assert.equal(stated(refused, 'daily_upload_bytes_per_user')?.['t'], wait);
  assert.deepEqual((await openUpload(ada.client, game.id, files)).received, [0, 1]);
});

test('of a hundred requests at once, exactly the limit is accepted', async (t) => {
  const limits = { rate_searches_per_minute: 10, daily_projects_per_network: 7 };
  const platform = await openBehindProxy(t, { limits });
  const ada = await platform.person('Ada');
  const accepted = async (sending: () => Promise<Response>) => {
    const answers = await Promise.all(Array.from({ length: 100 }, sending));
    const others = answers.filter(({ ok, status }) => !ok && status !== 429);
    assert.deepEqual(
      others.map(({ status }) => status),
      [],
    );
    return answers.filter(({ ok }) => ok).length;
  };
  const searched = await accepted(() => send(platform, '/search?q=x', { method: 'GET' }));
  // One is refilled in six seconds.
  assert.ok(searched >= 10 && searched <= 12, `${searched}`);
  let number = 0;
  const created = await accepted(() =>
    send(platform, '/projects', { by: ada, json: { title: `Game ${number++}` } }),
  );
  assert.ok(created <= 7, `${created}`);
  const more = [];
  for (let index = created; index < 8; index++) {
    more.push((await send(platform, '/projects', { by: ada, json: { title: 'More' } })).status);
  }
  assert.deepEqual(more, [...Array(7 - created).fill(201), 429], 'rejected ones take nothing');
});

test('reports are limited for address and network; those that are not stored do not count', async (t) => {
  const limits = { daily_reports_per_address: 2, daily_reports_per_network: 3 };
  const platform = await openBehindProxy(t, { limits });
  const { client } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Game' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'x' });
  const report = async (from: string, slug = game.slug) => {
    const json = { reason: 'broken' };
    const answer = await send(platform, `/games/${slug}/reports`, { from, json });
    if (answer.status !== 429) return answer.status;
    const { error } = (await answer.json()) as { error: { message: string } };
    return error.message.replace(/\. Wait \d+ h$/, '');
  };
  const rejected = (whose: string, most: number) =>
    `Too many reports ${whose} in a day. Allowed: ${most}`;
  for (const [at, neighbor, far] of [
    [HOME, NEIGHBOR, ABROAD],
    ['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:2::1'],
  ] as const) {
    assert.equal(await report(at, 'missing'), 404, at);
    assert.equal(await report(at), 204, at);
    assert.equal(await report(at), 204, at);
    assert.equal(await report(at), rejected('from this address', 2), at);
    assert.equal(await report(neighbor), 204, at);
    assert.equal(await report(neighbor), rejected('from this network', 3), at);
    assert.equal(await report(far), 204, at);
  }
});

test('without a trusted proxy, X-Forwarded-For changes no address', async (t) => {
  const limits = { rate_searches_per_minute: 2, daily_sign_ups_per_network: 1 };
  const platform = await openBehindProxy(t, { limits, trustProxy: null });
  const search = async (from: string) =>
    (await send(platform, '/search?q=x', { method: 'GET', from })).status;
  assert.deepEqual(
    [await search(HOME), await search(ABROAD), await search('"; drop'), await search('::1')],
    [200, 200, 429, 429],
  );
  const { issuer, clientId } = platform.running;
  for (const [name, from, status] of [
    ['Ada', HOME, 200],
    ['Bob', ABROAD, 429],
  ] as const) {
    const json = { id_token: await signIn(issuer, clientId, name) };
    assert.equal((await send(platform, '/auth/session', { from, json })).status, status);
  }
});

test('off turns off all limits and their header fields', async (t) => {
  const names = ['sign_ups', 'reports', 'projects', 'uploads', 'upload_bytes'].flatMap((what) =>
    ['user', 'address', 'network'].map((scope) => `daily_${what}_per_${scope}`),
  );
  const rates = ['failures', 'sessions', 'logouts', 'reports', 'writes', 'searches', 'parts'];
  const limits = Object.fromEntries(
    [...names, ...rates.map((rate) => `rate_${rate}_per_minute`)].map((name) => [name, 1]),
  );
  const platform = await openBehindProxy(t, { limits, rateLimit: 'off' });
  await platform.person('Ada');
  const bob = await platform.person('Bob');
  const id = await createGame(platform, bob);
  await createGame(platform, bob);
  for (const version of ['1', '2']) {
    const body = publishForm(version, { 'index.html': version });
    const answer = await send(platform, `/projects/${id}/publish`, { by: bob, body });
    assert.equal(answer.status, 201);
    assert.equal(answer.headers.get('ratelimit'), null);
  }
  await publishParts(bob.client, id, '3', { 'index.html': 'three', 'a.txt': 'a' });
  for (let times = 0; times < 3; times++) {
    assert.equal((await send(platform, '/search?q=x', { method: 'GET' })).status, 200);
  }
});
