// What the operator sees of the platform: a line of the log for each request, and the metrics.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepLines } from '@svc/observe/testing';
import { connectBounded } from '../../../scripts/connect-bounded.ts';
import { until } from '../../../scripts/until.ts';
import { readSettings } from '../src/index.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { publishParts } from './publish-parts.ts';
import { requestRaw } from './raw-request.ts';

const GAME = { 'index.html': '<title>g</title>', 'a.js': 'x'.repeat(5000) };

/** Opens a platform with metrics, whose lines are kept. */
async function openObserved(environment: Readonly<Record<string, string>> = {}) {
  const { log, lines } = keepLines();
  const settings = readSettings({ SVC_METRICS_PORT: '0', ...environment });
  const platform = await openPlatform({ log, settings });
  return { platform, lines };
}

/** Reads the metrics as values by their name with labels, such as `svc_plays_total`. */
async function readMetrics({ running }: OpenPlatform): Promise<ReadonlyMap<string, number>> {
  const answer = await fetch(running.metricsUrl ?? assert.fail());
  assert.equal(answer.status, 200);
  const text = await answer.text();
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

/** Waits until the metric has the value: an answer is counted when it has been sent. */
function untilMetric(platform: OpenPlatform, name: string, value: number) {
  return until(
    () => readMetrics(platform),
    (metrics) => metrics.get(name) === value,
    `${name} is ${value}`,
    10_000,
  );
}

const count = (method: string, route: string, status: number): string =>
  `svc_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`;

test('the line of a request has its route, and neither its path, nor a credential, nor the address', async () => {
  const { platform, lines } = await openObserved();
  await using _ = platform;
  const { client, idToken } = await platform.person('Ada');
  const { secret } = await client.call('createToken', { body: { name: 'ci' } });
  const { game } = await client.call('createProject', { body: { title: 'Secret game' } });
  const form = publishForm('1', GAME);
  const params = { id: game.id };
  const { preview } = await client.call('publish', { params, form, query: { preview: 'staff' } });
  const url = preview?.url ?? assert.fail();
  assert.equal((await fetch(url)).status, 200);
  const asking = { origin: 'https://x.example', 'access-control-request-method': 'GET' };
  await requestRaw({
    port: platform.running.port,
    path: '/home',
    method: 'OPTIONS',
    headers: asking,
  });
  await fetch(`${platform.baseUrl}/no/such/place?token=hidden`);
  const requests = await until(
    () => lines.filter(({ message }) => message === 'request'),
    (all) => all.some(({ fields }) => fields['status'] === 404),
    'the last request is logged',
    10_000,
  );
  const routes = requests.map(({ fields }) => `${fields['method']} ${fields['route']}`);
  assert.deepEqual(routes, [
    'POST /auth/session',
    'POST /tokens',
    'POST /projects',
    'POST /projects/:id/publish',
    'GET /play/*',
    'OPTIONS preflight',
    'GET none',
  ]);
  for (const { level, fields } of requests) {
    assert.equal(level, 'info');
    const { ms, bytes } = fields;
    assert.ok(typeof ms === 'number' && ms >= 0 && typeof bytes === 'number' && bytes > 100);
    assert.match(String(fields['request_id']), /^[0-9a-f]{12}-[0-9a-z]{8}$/);
    assert.equal(fields['address'], undefined);
  }
  assert.equal(requests.at(-1)?.fields['code'], 'not_found');
  const text = JSON.stringify(lines);
  const token = /\.preview\/([^/]+)/.exec(url)?.[1] ?? assert.fail();
  for (const hidden of [secret, idToken, token, game.id, 'hidden', '127.0.0.1']) {
    assert.ok(!text.includes(hidden), hidden);
  }
});

test('the address of the client is logged if the operator wants it, and questions about health are details', async () => {
  const { platform, lines } = await openObserved({
    ...{ SVC_LOG_ADDRESSES: 'on', SVC_TRUST_PROXY: '127.0.0.0/8' },
  });
  await using _ = platform;
  const headers = { 'x-forwarded-for': '9.9.9.9, 198.51.100.7' };
  await fetch(`${platform.baseUrl}/play/none/`, { headers });
  await fetch(`${platform.baseUrl}/livez`);
  const requests = await until(
    () => lines.filter(({ message }) => message === 'request'),
    (all) => all.length === 2,
    'both are logged',
    10_000,
  );
  assert.deepEqual(
    requests.map(({ level, fields }) => [level, fields['route'], fields['address']]),
    [
      ['info', '/play/*', '198.51.100.7'],
      ['debug', '/livez', '127.0.0.1'],
    ],
  );
});

test('the id that a trusted proxy gives a request is in the answer and the log; that of others is not', async () => {
  const id = 'proxy-1/a.b';
  const paths = ['/home', '/nothing', '/play/none/x', '/media/none.webp'];
  for (const isTrusted of [true, false]) {
    const trusted = isTrusted ? { SVC_TRUST_PROXY: '127.0.0.1' } : {};
    const { platform, lines } = await openObserved(trusted);
    await using _ = platform;
    const answered: (string | null)[] = [];
    for (const path of paths) {
      const answer = await fetch(platform.baseUrl + path, { headers: { 'x-request-id': id } });
      answered.push(answer.headers.get('x-request-id'));
    }
    await until(
      () => lines.filter(({ message }) => message === 'request'),
      (all) => all.length === paths.length,
      'all are logged',
      10_000,
    );
    const logged = lines.flatMap(({ fields }) => fields['request_id'] ?? []);
    assert.deepEqual(logged, answered);
    assert.equal(
      answered.every((one) => one === id),
      isTrusted,
    );
    assert.equal(new Set(answered).size, isTrusted ? 1 : paths.length);
  }
});

test('an internal error is logged with the id of its answer', async () => {
  const { log, lines } = keepLines();
  await using failing = await openPlatform({
    log,
    changeFiles: (files) => ({
      ...files,
      open: async () => {
        throw new Error('the disk is gone');
      },
    }),
  });
  const { client } = await failing.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Game' } });
  const published = await publishBuild(client, game.id, '1', GAME);
  const played = await fetch(published.game.play_url ?? assert.fail());
  const build = await fetch(`${failing.baseUrl}/projects/${game.id}/releases/1/build`, {
    headers: { authorization: `Bearer ${(await failing.person('Ada')).idToken}` },
  });
  assert.deepEqual([played.status, build.status], [500, 500]);
  const errors = lines.filter(({ level }) => level === 'error');
  assert.deepEqual(
    errors.map(({ fields }) => fields['request_id']),
    [played.headers.get('x-request-id'), build.headers.get('x-request-id')],
  );
  for (const { fields } of errors)
    assert.match(String(fields['error']), /the disk is gone\n {4}at /);
});

test('metrics count requests, publishes with their phases, plays, caches, statements and files', async () => {
  const { platform } = await openObserved();
  await using _ = platform;
  const { client } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Game' } });
  const { id } = game;
  const published = await publishBuild(client, id, '1', GAME);
  await assert.rejects(publishBuild(client, id, '1', GAME), { code: 'version_exists' });
  await assert.rejects(publishBuild(client, id, '2', { 'a.js': '' }), {
    code: 'zip_missing_index',
  });
  await publishParts(client, id, '3', { ...GAME, 'b.js': 'b' });
  const params = { slug: game.slug };
  await client.call('reportGame', { params, body: { reason: 'broken' } });
  const play = published.game.play_url ?? assert.fail();
  // `fetch` cannot send these headers.
  const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const { port } = platform.running;
  const path = new URL(play).pathname;
  for (let times = 0; times < 3; times++) await requestRaw({ port, path, headers });
  const metrics = await untilMetric(platform, count('GET', '/play/*', 200), 3);
  const value = (name: string): number => metrics.get(name) ?? assert.fail(`no ${name}`);
  assert.equal(value(count('POST', '/projects/:id/publish', 201)), 1);
  assert.equal(value('svc_http_errors_total{code="zip_missing_index"}'), 1);
  assert.equal(value('svc_http_requests_in_progress'), 0);
  assert.ok(value('svc_http_response_bytes_total{route="/play/*"}') > 3 * 16);
  assert.equal(value('svc_publishes_total{sent="zip",outcome="published"}'), 1);
  assert.equal(value('svc_publishes_total{sent="zip",outcome="version_exists"}'), 1);
  assert.equal(value('svc_publishes_total{sent="zip",outcome="zip_missing_index"}'), 1);
  assert.equal(value('svc_publishes_total{sent="parts",outcome="published"}'), 1);
  assert.equal(value('svc_publishes_in_progress'), 0);
  const phases = ['receive', 'check', 'store', 'commit'].map((phase) =>
    value(`svc_publish_phase_duration_seconds_count{phase="${phase}"}`),
  );
  // What was sent in parts was received by other requests. The one that exists ended while it was received.
  assert.deepEqual(phases, [3, 3, 2, 2]);
  assert.equal(value('svc_plays_total'), 3);
  assert.equal(value('svc_played_bytes_total'), 3 * GAME['index.html'].length);
  assert.equal(value('svc_cache_requests_total{cache="games",result="miss"}'), 1);
  assert.equal(value('svc_cache_requests_total{cache="games",result="hit"}'), 2);
  assert.equal(value('svc_cache_requests_total{cache="memory",result="miss"}'), 1);
  assert.equal(value('svc_cache_requests_total{cache="memory",result="hit"}'), 2);
  assert.ok(value('svc_database_statement_duration_seconds_count{kind="select"}') > 10);
  assert.ok(value('svc_database_statement_duration_seconds_count{kind="insert"}') > 5);
  assert.equal(value('svc_storage_operation_duration_seconds_count{operation="settle"}'), 2);
  assert.ok(value('svc_storage_operation_duration_seconds_count{operation="open"}') >= 1);
  assert.ok(value('svc_upkeep_duration_seconds_count{outcome="done"}') >= 1);
  const sinceUpkeep = Date.now() / 1000 - value('svc_upkeep_last_done_timestamp_seconds');
  assert.ok(sinceUpkeep >= 0 && sinceUpkeep < 600, String(sinceUpkeep));
  assert.equal(value('svc_users{role="developer"}'), 1);
  assert.equal(value('svc_users{role="player"}'), 0);
  assert.equal(value('svc_games{status="published"}'), 1);
  assert.equal(value('svc_reports_open'), 1);
  assert.deepEqual(
    [value('svc_releases{zip="stored"}'), value('svc_releases{zip="made"}')],
    [1, 1],
  );
  assert.ok(value('svc_stored_bytes{kind="contents"}') >= 16 + 5000 + 1);
  assert.ok(value('svc_stored_bytes{kind="builds"}') > 100);
  assert.ok(value('svc_spool_free_bytes') > 0);
  assert.ok([...metrics.keys()].some((name) => name.startsWith('svc_build_info{version="')));
});

test('metrics count rejected credentials and rate limits, and none of it is counted twice', async () => {
  const { platform } = await openObserved({
    ...{ SVC_LIMIT_RATE_FAILURES_PER_MINUTE: '2', SVC_LIMIT_RATE_SEARCHES_PER_MINUTE: '1' },
  });
  await using _ = platform;
  const { client } = await platform.person('Ada');
  const { secret, token } = await client.call('createToken', { body: { name: 'ci' } });
  await client.call('revokeToken', { params: { id: token.id } });
  await assert.rejects(platform.clientWith(secret).call('me', {}), { code: 'token_revoked' });
  // The one that sends no credential is no guess.
  const unknown = platform.clientWith('svc_unknown');
  await assert.rejects(unknown.call('me', {}), { code: 'unauthenticated' });
  for (const code of ['unauthenticated', 'rate_limited']) {
    await assert.rejects(platform.clientWith(null).call('me', {}), { code });
  }
  await client.call('search', { query: { q: 'a' } });
  await assert.rejects(client.call('search', { query: { q: 'a' } }), { code: 'rate_limited' });
  const metrics = await untilMetric(platform, count('GET', '/search', 429), 1);
  const found = [...metrics].filter(([name]) =>
    /^svc_(?:rate_limited|rejected_credentials|http_errors)_total/.test(name),
  );
  assert.deepEqual(Object.fromEntries(found), {
    'svc_http_errors_total{code="token_revoked"}': 1,
    'svc_http_errors_total{code="unauthenticated"}': 2,
    'svc_http_errors_total{code="rate_limited"}': 2,
    'svc_rejected_credentials_total{code="token_revoked"}': 1,
    'svc_rejected_credentials_total{code="unauthenticated"}': 1,
    'svc_rate_limited_total{limit="failures"}': 1,
    'svc_rate_limited_total{limit="searches"}': 1,
  });
});

test('without a port for them, no metrics are served', async () => {
  await using platform = await openPlatform();
  assert.equal(platform.running.metricsUrl, null);
});

test('a publish whose client leaves is counted as such, and not as a bug', async () => {
  const { platform, lines } = await openObserved();
  await using _ = platform;
  const { client } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Game' } });
  const leaving = new AbortController();
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(
        Buffer.from('--x\r\nContent-Disposition: form-data; name="version"\r\n\r\n1'),
      );
    },
  });
  const sent = fetch(`${platform.baseUrl}/projects/${game.id}/publish`, {
    ...{ method: 'POST', body, duplex: 'half', signal: leaving.signal },
    headers: {
      authorization: `Bearer ${(await platform.person('Ada')).idToken}`,
      'content-type': 'multipart/form-data; boundary=x',
    },
  });
  await untilMetric(platform, 'svc_publishes_in_progress', 1);
  leaving.abort();
  await assert.rejects(sent);
  const metrics = await untilMetric(platform, 'svc_publishes_in_progress', 0);
  assert.equal(
    metrics.get('svc_publishes_total{sent="zip",outcome="ended"}'),
    1,
    JSON.stringify(
      [...metrics].filter(([name, count]) => name.startsWith('svc_publishes_total') && count > 0),
    ),
  );
  assert.equal(metrics.get('svc_publishes_total{sent="zip",outcome="other"}'), 0);
  assert.deepEqual(
    lines.filter(({ level }) => level === 'error'),
    [],
  );
});

test('metrics are served without a spool, and bytes that are not HTTP are logged with the id of their answer', async () => {
  const { platform, lines } = await openObserved();
  await using _ = platform;
  await rm(join(platform.dataDir, 'spool'), { recursive: true });
  const metrics = await readMetrics(platform);
  assert.ok(Number.isNaN(metrics.get('svc_spool_free_bytes')));
  const socket = connectBounded(platform.running.port);
  socket.end('NONSENSE\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  const id = /X-Request-Id: (\S+)/.exec(text)?.[1];
  const request = lines.find(({ message }) => message === 'request');
  assert.deepEqual(
    [request?.fields['request_id'], request?.fields['method'], request?.fields['status']],
    [id, 'OTHER', 400],
  );
});
