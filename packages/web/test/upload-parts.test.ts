// The routes of an upload in parts: what they pass to the API, what they reject, and that they read no body too early.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { PLATFORM_LIMITS } from '@svc/contracts/platform';
import { until } from '../../../scripts/until.ts';
import { openBareBrowser } from './browser-without-screen.ts';
import { openSite } from './open-site.ts';
import {
  ADA,
  apiError,
  gameOf,
  openStandIn,
  pageOf,
  releaseOf,
  type StandInSite,
} from './stand-in-api.ts';

const AT = '/dashboard/games/moon-id/uploads';
const API = '/projects/moon-id/uploads';
const PART_BYTES = 1000;
const LIST_BYTES = 2000;
const CODING_BYTES = 64 * 1024;
const OWN = { 'sec-fetch-site': 'same-origin', accept: 'application/json' };
const JSON_TYPE = { 'content-type': 'application/json' };
const BYTES_TYPE = { 'content-type': 'application/octet-stream' };
const UPLOAD = {
  id: 'up-id',
  created_at: '2026-03-01T10:20:30.000Z',
  expires_at: '2026-03-02T10:20:30.000Z',
  missing: ['ab'.repeat(32)],
  bytes: 3,
  part_bytes: PART_BYTES,
  part_count: 1,
  received: [],
};

type Desk = StandInSite & {
  post(path: string, body: BodyInit, headers?: Record<string, string>): Promise<Response>;
};

async function openDesk(t: TestContext): Promise<Desk> {
  const site = await openStandIn(t);
  const limits = { upload_part_bytes: PART_BYTES, upload_list_bytes: LIST_BYTES };
  site.api.answers['GET /limits'] = { json: { limits } };
  site.api.answers[`POST ${API}`] = { json: { upload: UPLOAD } };
  site.api.answers[`PUT ${API}/up-id/parts/0`] = { status: 204, text: '' };
  const cookie = await site.cookie();
  return {
    ...site,
    post: (path, body, headers) =>
      site.ask(path, { method: 'POST', body, headers: { ...OWN, cookie, ...headers } }),
  };
}

const calls = ({ api }: StandInSite) => api.asked.filter(({ route }) => !route.startsWith('GET '));

async function errorOf(answer: Response): Promise<[status: number, code: string, message: string]> {
  const { error } = await answer.json();
  return [answer.status, error.code, error.message];
}

test('the list, the parts and the publish are passed to the API with the ID token', async (t) => {
  const desk = await openDesk(t);
  const list = { files: [{ path: 'index.html', bytes: 3, sha256: 'ab'.repeat(32) }], version: '2' };
  const opened = await desk.post(AT, JSON.stringify(list), JSON_TYPE);
  assert.deepEqual(await opened.json(), { upload: UPLOAD });
  assert.equal(opened.headers.get('cache-control'), 'no-store');
  const digest = { 'content-digest': 'sha-256=:x:', 'content-encoding': 'gzip' };
  const sent = await desk.post(`${AT}/up-id/parts/0`, 'abc', { ...BYTES_TYPE, ...digest });
  assert.deepEqual([sent.status, await sent.json()], [200, {}]);
  const findings = [{ code: 'c', rule: 'r', entry: 'a.js', message: 'Look', hint: null }];
  desk.api.answers[`POST ${API}/up-id/publish`] = { json: { game: gameOf(), findings } };
  const fields = JSON.stringify({ version: '2', notes: 'new' });
  const published = await desk.post(`${AT}/up-id/publish`, fields, JSON_TYPE);
  assert.deepEqual(await published.json(), {
    next: '/dashboard/games/moon-id?done=published',
    findings,
  });
  const made = calls(desk).map(({ route, query, headers, body }) => [
    route,
    query,
    headers.authorization,
    body,
  ]);
  assert.deepEqual(made, [
    [`POST ${API}`, {}, 'Bearer ada-token', JSON.stringify(list)],
    [`PUT ${API}/up-id/parts/0`, {}, 'Bearer ada-token', 'abc'],
    [`POST ${API}/up-id/publish`, {}, 'Bearer ada-token', fields],
  ]);
  const part = calls(desk)[1]?.headers ?? {};
  assert.equal(part['content-digest'], 'sha-256=:x:');
  assert.equal(part['content-encoding'], 'gzip');
  assert.equal(part['content-type'], 'application/octet-stream');
  assert.equal(part['content-length'], '3');
  assert.equal(part.cookie, undefined);
});

test('a dry run returns the same text as that of a ZIP file', async (t) => {
  const desk = await openDesk(t);
  const diff = { new: ['a'], changed: [], same: ['b', 'c'], gone: [] };
  desk.api.answers[`POST ${API}/up-id/publish`] = {
    json: { release: releaseOf({ file_count: 3, expanded_bytes: 2048 }), diff, findings: [] },
  };
  const dry = await desk.post(`${AT}/up-id/publish?dry_run=true`, '{"version":"2"}', JSON_TYPE);
  assert.deepEqual(await dry.json(), {
    text: 'The build passed all checks: 3 files, 2.0 KiB unpacked. Nothing was published. Compared with the live release: 1 new, 0 changed, 2 unchanged, 0 removed.',
    findings: [],
  });
  assert.deepEqual(calls(desk)[0]?.query, { dry_run: 'true' });
});

test('calls from another site and calls without a session are rejected and not passed on', async (t) => {
  const desk = await openDesk(t);
  const paths = [AT, `${AT}/up-id/parts/0`, `${AT}/up-id/publish`];
  for (const path of paths) {
    for (const from of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'https://play.example' },
      { origin: 'https://evil.example' },
    ]) {
      const foreign = await desk.post(path, '{}', { ...JSON_TYPE, ...from });
      assert.deepEqual((await errorOf(foreign)).slice(0, 2), [403, 'cross_site'], path);
    }
    const none = await desk.post(path, '{}', { ...JSON_TYPE, cookie: '' });
    assert.deepEqual((await errorOf(none)).slice(0, 2), [401, 'unauthenticated'], path);
    const ended = await desk.cookie({ expiresAt: Date.now() + 1000 });
    const late = await desk.post(path, '{}', { ...JSON_TYPE, cookie: ended });
    assert.deepEqual((await errorOf(late)).slice(0, 2), [401, 'unauthenticated'], path);
    const get = await desk.ask(path, { headers: OWN });
    assert.deepEqual((await errorOf(get)).slice(0, 2), [405, 'method_not_allowed'], path);
  }
  assert.deepEqual(calls(desk), []);
});

test('a body that is too large, not JSON or of another type is rejected and not passed on', async (t) => {
  const desk = await openDesk(t);
  const part = `${AT}/up-id/parts/0`;
  const most = PART_BYTES + CODING_BYTES;
  const fits = await desk.post(part, Buffer.alloc(most), BYTES_TYPE);
  assert.equal(fits.status, 200);
  assert.equal(calls(desk)[0]?.headers['content-length'], String(most));
  const list = (bytes: number) => `{"files":[],"version":"${'1'.repeat(bytes - 25)}"}`;
  assert.equal(list(LIST_BYTES).length, LIST_BYTES);
  assert.equal((await desk.post(AT, list(LIST_BYTES), JSON_TYPE)).status, 200);
  const passed = calls(desk).length;
  const rows = [
    [
      part,
      Buffer.alloc(most + 1),
      BYTES_TYPE,
      'The request is too large. Allowed: at most 65.0 KiB.',
    ],
    [AT, list(LIST_BYTES + 1), JSON_TYPE, 'The request is too large. Allowed: at most 2.0 KiB.'],
  ] as const;
  for (const [path, body, type, message] of rows) {
    const whole = await desk.post(path, body, type);
    assert.deepEqual(await errorOf(whole), [413, 'payload_too_large', message]);
    // Without a length, the bytes are counted.
    const parts = new Blob([body, Buffer.alloc(3_000_000)]).stream();
    const init = { method: 'POST', body: parts, duplex: 'half' } as RequestInit;
    const headers = { ...OWN, ...type, cookie: await desk.cookie() };
    const streamed = await desk.ask(path, { ...init, headers });
    assert.deepEqual(await errorOf(streamed), [413, 'payload_too_large', message]);
  }
  const large = 'x'.repeat(PLATFORM_LIMITS.json_body_bytes + 1);
  assert.equal((await desk.post(`${AT}/up-id/publish`, large, JSON_TYPE)).status, 413);
  for (const path of [AT, `${AT}/up-id/publish`]) {
    const torn = await desk.post(path, '{', JSON_TYPE);
    assert.deepEqual(await errorOf(torn), [
      400,
      'invalid_input',
      'The body of the request is not valid JSON.',
    ]);
  }
  const text = await desk.post(part, 'abc', { 'content-type': 'text/plain' });
  assert.deepEqual((await errorOf(text)).slice(0, 2), [415, 'unsupported_media_type']);
  // Other routes do not take these bodies.
  const form = await desk.post('/dashboard/new', 'abc', BYTES_TYPE);
  assert.equal(form.status, 415);
  assert.equal(calls(desk).length, passed);
});

test('errors of the API are passed on with code, details and Retry-After', async (t) => {
  const desk = await openDesk(t);
  const details = [{ entry: 'a.js', message: 'It is too big', hint: 'Split it' }];
  const error = { code: 'zip_file_too_large', message: 'It is too big', details };
  desk.api.answers[`POST ${API}`] = {
    status: 413,
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify({ error }),
  };
  const opened = await desk.post(AT, '{}', JSON_TYPE);
  assert.equal(opened.status, 413);
  assert.deepEqual(await opened.json(), { error: { ...error, message: 'It is too big.' } });
  const part = `PUT ${API}/up-id/parts/0`;
  const send = () => desk.post(`${AT}/up-id/parts/0`, 'abc', BYTES_TYPE);
  desk.api.answers[part] = apiError(404, 'not_found');
  assert.deepEqual((await errorOf(await send())).slice(0, 2), [404, 'not_found']);
  desk.api.answers[part] = apiError(403, 'developer_required', 'Become a developer');
  assert.deepEqual((await errorOf(await send())).slice(0, 2), [403, 'developer_required']);
  desk.api.answers[part] = apiError(429, 'rate_limited', 'Slow', { 'retry-after': '7' });
  const slow = await send();
  assert.deepEqual([slow.status, slow.headers.get('retry-after')], [429, '7']);
  desk.api.answers[part] = 'drop';
  assert.deepEqual((await errorOf(await send())).slice(0, 2), [503, 'unreachable']);
  desk.api.answers[`POST ${API}/up-id/publish`] = apiError(409, 'upload_incomplete', 'Parts');
  const early = await desk.post(`${AT}/up-id/publish`, '{"version":"1"}', JSON_TYPE);
  assert.deepEqual(await errorOf(early), [409, 'upload_incomplete', 'Parts.']);
});

test('a part whose connection ends early is not passed on and is no failure of the server', async (t) => {
  const desk = await openDesk(t);
  const socket = connect(desk.web.port, '127.0.0.1');
  const head = [
    `POST ${AT}/up-id/parts/0 HTTP/1.1`,
    `Host: 127.0.0.1:${desk.web.port}`,
    `Cookie: ${await desk.cookie()}`,
    'Sec-Fetch-Site: same-origin',
    'Accept: application/json',
    'Content-Type: application/octet-stream',
    'Content-Length: 900',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\nabc`);
  await until(
    async () => desk.api.asked.length,
    (count) => count > 0,
    'the request has begun',
  );
  socket.destroy();
  assert.equal((await desk.post(`${AT}/up-id/parts/0`, 'abc', BYTES_TYPE)).status, 200);
  assert.equal(calls(desk).length, 1);
  assert.deepEqual(desk.lines, []);
});

test('a player who is no developer can’t upload', async () => {
  await using site = await openSite();
  const player = openBareBrowser(site.origin);
  await player.signIn('Eve');
  const cookie = [...player.cookies].map((pair) => pair.join('=')).join('; ');
  const headers = { ...OWN, ...JSON_TYPE, cookie };
  const body = JSON.stringify({ files: [] });
  const path = '/dashboard/games/01a21872-f72b-7000-b51a-dcd2afc6dca1/uploads';
  const answer = await fetch(site.origin + path, { method: 'POST', headers, body });
  assert.deepEqual((await errorOf(answer)).slice(0, 2), [403, 'developer_required']);
});

test('the form has the address and the limits for its script, and takes a ZIP file without it', async (t) => {
  const desk = await openDesk(t);
  const { answers } = desk.api;
  answers['GET /limits'] = { json: { limits: { build_files: 7, build_zip_bytes: 2048 } } };
  answers['GET /me'] = { json: { user: ADA, auth: { kind: 'session' } } };
  answers['GET /projects/moon-id'] = {
    json: { game: gameOf(), page: pageOf(), isolation: null, live_release: null },
  };
  answers['GET /projects/moon-id/releases'] = { json: { releases: [], next_cursor: null } };
  const headers = { cookie: await desk.cookie() };
  const text = await desk.read('/dashboard/games/moon-id', { headers });
  assert.match(text, /<form [^>]*data-upload="\/dashboard\/games\/moon-id\/uploads"/);
  const limits = /data-limits="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? '';
  assert.deepEqual(JSON.parse(limits), {
    zip_bytes: 2048,
    expanded_bytes: PLATFORM_LIMITS.build_expanded_bytes,
    file_bytes: PLATFORM_LIMITS.build_file_bytes,
    files: 7,
    path_bytes: PLATFORM_LIMITS.build_path_bytes,
    path_levels: PLATFORM_LIMITS.build_path_levels,
  });
  assert.match(text, /<input id="build" name="build" type="file" [^>]*required/);
  assert.match(text, /<div [^>]*data-scripted hidden>/);
});
