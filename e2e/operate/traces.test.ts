// Traces of OpenTelemetry: one for each request, through the store and the platform to the database.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readObserveSettings } from '@svc/observe';
import { logTo } from '@svc/observe/testing';
import { publishBuild, signInDeveloper, startProcess } from '@svc/platform/testing';
import { startWeb } from '@svc/web';
import { until } from '../../scripts/until.ts';
import { type CollectedSpan, startCollector } from './collect-spans.ts';

const FILES = { 'index.html': '<title>g</title>' };

function childrenOf(spans: readonly CollectedSpan[], { spanId }: CollectedSpan): string[] {
  return spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name);
}

test('a trace leads from a page of the store to the statements of the platform, and has no secrets', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-traces-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await using ending = new AsyncDisposableStack();
  const collector = ending.use(await startCollector());
  const traced = { SVC_TRACES_URL: collector.url };
  const trusting = { ...traced, SVC_TRUST_PROXY: '127.0.0.1' };
  const platform = await startProcess(join(folder, 'data'), trusting);
  ending.defer(() => platform.kill());
  const observe = readObserveSettings(traced, []);
  const web = ending.use(await startWeb({ apiUrl: platform.baseUrl, port: 0, observe }));
  const { client, idToken } = await signInDeveloper(platform, 'Ada');
  const { game } = await client.call('createProject', { body: { title: 'Game' } });
  await publishBuild(client, game.id, '1', FILES);
  const page = await fetch(`${web.origin}/games/${game.slug}`);
  const pageId = page.headers.get('x-request-id') ?? assert.fail();
  await fetch(game.play_url ?? `${platform.baseUrl}/play/${game.slug}/`);
  const own = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  await fetch(`${platform.baseUrl}/home`, { headers: own });
  const dropped = { traceparent: '00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00' };
  await fetch(`${platform.baseUrl}/home`, { headers: dropped });
  assert.equal(await platform.end(), 0);
  await web.close();
  const spans = collector.spans;
  const one = (name: string, of: readonly CollectedSpan[] = spans): CollectedSpan =>
    of.find((span) => span.name === name) ?? assert.fail(`${name}: ${spans.map((s) => s.name)}`);

  const shown = one('GET /games/:slug');
  assert.equal(shown.service, 'svc-web');
  assert.equal(shown.attributes['svc.request_id'], pageId);
  const asked = one('GET /games/:slug/page');
  assert.deepEqual([asked.service, asked.traceId], ['svc-platform', shown.traceId]);
  assert.equal(asked.parentSpanId, shown.spanId);
  assert.equal(asked.attributes['svc.request_id'], pageId);
  assert.ok(childrenOf(spans, asked).includes('database select'));

  const publish = one('POST /projects/:id/publish');
  const phases = childrenOf(spans, publish).filter((name) => name.startsWith('publish '));
  assert.deepEqual(phases, ['publish receive', 'publish check', 'publish store', 'publish commit']);
  assert.ok(childrenOf(spans, one('publish commit')).includes('database insert'));
  assert.ok(childrenOf(spans, one('publish store')).includes('store settle'));
  assert.equal(publish.attributes['http.response.status_code'], 201);
  const play = one('GET /play/*');
  assert.ok(childrenOf(spans, play).includes('store open'));

  const homes = spans.filter(({ name }) => name === 'GET /home');
  assert.deepEqual(
    homes.map(({ traceId, parentSpanId }) => [traceId, parentSpanId]),
    [['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']],
    'the caller decides what is recorded',
  );
  // No span without a request: the upkeep and the heartbeats have none.
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const roots = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId));
  for (const { name } of roots) assert.match(name, /^(?:GET|POST) /);
  const text = JSON.stringify(spans);
  for (const hidden of [idToken, game.id, 'Ada']) assert.ok(!text.includes(hidden), hidden);
});

test('the share of requests is recorded, and callers that are not trusted do not change it', async () => {
  await using collector = await startCollector();
  const none = { SVC_TRACES_URL: collector.url, SVC_TRACES_RATIO: '0' };
  const web = await startWeb({
    ...{ apiUrl: 'http://127.0.0.1:9', port: 0, apiTimeoutMs: 500 },
    observe: readObserveSettings(none, []),
  });
  const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  assert.equal((await fetch(`${web.origin}/livez`, { headers })).status, 200);
  await web.close();
  assert.deepEqual(collector.spans, []);
});

test('a collector that does not answer is logged once, and does not hold up the server or its end', async () => {
  const lines: string[] = [];
  const web = await startWeb({
    ...{ apiUrl: 'http://127.0.0.1:9', port: 0, apiTimeoutMs: 500 },
    observe: readObserveSettings({ SVC_TRACES_URL: 'http://127.0.0.1:9/v1/traces' }, []),
    log: logTo((line) => lines.push(line)),
  });
  for (let turn = 0; turn < 5; turn++) {
    assert.equal((await fetch(`${web.origin}/livez`)).status, 200);
  }
  await until(
    () => lines.filter((line) => line.startsWith('warning: traces cannot be sent')),
    (found) => found.length === 1,
    'the failure is logged',
    30_000,
  );
  await fetch(`${web.origin}/livez`);
  await web.close();
  const failures = lines.filter((line) => line.startsWith('warning: traces cannot be sent'));
  assert.equal(failures.length, 1, lines.join('\n'));
});
