import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Counter, Gauge, Registry } from 'prom-client';
import { logTo } from '../../test/testing.ts';
import { NO_LOG } from '../log/log.ts';
import { readObserveSettings } from '../settings.ts';
import { serveMetrics } from './serve-metrics.ts';

const SERVED = readObserveSettings({ SVC_METRICS_PORT: '0' }, []);

test('metrics are served at one path, to read only, with those of the process', async () => {
  const registry = new Registry();
  new Counter({ name: 'things_total', help: 'Things.', registers: [registry] }).inc(3);
  await using listener = await serveMetrics(registry, SERVED, NO_LOG);
  const url = listener.url ?? assert.fail();
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  const answer = await fetch(`${url}?x=1`);
  const text = await answer.text();
  assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-store']);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  assert.match(text, /^things_total 3$/m);
  assert.match(text, /^process_resident_memory_bytes \d+$/m);
  const head = await fetch(url, { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
  const post = await fetch(url, { method: 'POST', body: 'x' });
  assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD']);
  assert.equal((await fetch(new URL('/', url))).status, 404);
});

test('metrics that cannot be collected are an error, which is logged', async () => {
  const registry = new Registry();
  const collect = (): never => {
    throw new Error('no value');
  };
  new Gauge({ name: 'broken', help: 'Broken.', registers: [registry], collect });
  const lines: string[] = [];
  const log = logTo((line) => lines.push(line));
  await using listener = await serveMetrics(registry, SERVED, log);
  const answer = await fetch(listener.url ?? assert.fail());
  assert.equal(answer.status, 500);
  assert.doesNotMatch(await answer.text(), /no value/);
  assert.match(lines[0] ?? '', /^internal: the metrics cannot be collected: Error: no value/);
});

test('without a port nothing is served, and a port in use is an error with the settings', async () => {
  await using none = await serveMetrics(new Registry(), readObserveSettings({}, []), NO_LOG);
  assert.equal(none.url, null);
  await using first = await serveMetrics(new Registry(), SERVED, NO_LOG);
  const { port } = new URL(first.url ?? assert.fail());
  const settings = readObserveSettings({ SVC_METRICS_PORT: port }, []);
  await assert.rejects(
    serveMetrics(new Registry(), settings, NO_LOG),
    /^Error: Cannot serve metrics: .*EADDRINUSE.*\. Correct SVC_METRICS_PORT and SVC_METRICS_HOST$/,
  );
});
