// What the operator sees of the store: a line of the log for each request, its id everywhere, and the metrics.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readObserveSettings } from '@svc/observe';
import { keepLines, type Line } from '@svc/observe/testing';
import { until } from '../../../scripts/until.ts';
import { openStandIn } from './stand-in-api.ts';

const untilLogged = (lines: readonly Line[], count: number) =>
  until(
    () => lines.filter(({ message }) => message === 'request'),
    (requests) => requests.length === count,
    `${count} requests are logged`,
    10_000,
  );

test('a request has one id: in the answer, the log, and what the API is asked for it', async (t) => {
  const { lines, log } = keepLines();
  const site = await openStandIn(t, { log });
  site.api.answers['GET /home'] = { json: { games: [], developers: [], next_cursor: null } };
  const id = (await site.ask('/')).headers.get('x-request-id') ?? assert.fail();
  assert.match(id, /^[0-9a-f]{12}-[0-9a-z]{8}$/);
  const asked = site.api.asked.find(({ route }) => route === 'GET /home');
  assert.equal(asked?.headers['x-request-id'], id);
  const given = await site.ask('/search?q=secret', { headers: { 'x-request-id': 'mine' } });
  const other = given.headers.get('x-request-id');
  assert.ok(other !== null && other !== 'mine' && other !== id, 'no proxy is trusted');
  const requests = await untilLogged(lines, 2);
  assert.deepEqual(
    requests.map(({ fields }) => [fields['method'], fields['route'], fields['request_id']]),
    [
      ['GET', '/', id],
      ['GET', '/search', other],
    ],
  );
  assert.doesNotMatch(JSON.stringify(lines), /secret|127\.0\.0\.1/);
});

test('the id of a trusted proxy is carried on to the API', async (t) => {
  const site = await openStandIn(t, { trustProxy: '127.0.0.1' });
  const answer = await site.ask('/', { headers: { 'x-request-id': 'proxy-1' } });
  assert.equal(answer.headers.get('x-request-id'), 'proxy-1');
  const asked = site.api.asked.find(({ route }) => route === 'GET /home');
  assert.equal(asked?.headers['x-request-id'], 'proxy-1');
});

test('a page about a bug of the site names the id of the request, and the log has it with the stack', async (t) => {
  const { lines, log } = keepLines();
  const site = await openStandIn(t, { log });
  site.api.answers['GET /home'] = { json: null };
  const answer = await site.ask('/');
  const id = answer.headers.get('x-request-id') ?? assert.fail();
  assert.match(await answer.text(), new RegExp(`Request ID for support: ${id}`));
  const fault = lines.find(({ level }) => level === 'error');
  assert.equal(fault?.fields['request_id'], id);
  assert.match(String(fault?.fields['error']), /TypeError[\s\S]*home-page\.ts/);
  const [request] = await untilLogged(lines, 1);
  assert.deepEqual(
    [request?.level, request?.fields['status'], request?.fields['code']],
    ['warn', 500, 'internal'],
  );
});

test('metrics count pages by route, with the codes of failures', async (t) => {
  const observe = readObserveSettings({ SVC_METRICS_PORT: '0' }, []);
  const site = await openStandIn(t, { observe });
  site.api.answers['GET /home'] = 'drop';
  assert.equal((await site.ask('/')).status, 503);
  assert.equal((await site.ask('/games/none')).status, 404);
  const url = site.web.metricsUrl ?? assert.fail();
  const text = await until(
    async () => (await fetch(url)).text(),
    (metrics) => metrics.includes('route="/games/:slug",status="404"'),
    'both are counted',
    10_000,
  );
  assert.match(text, /_count\{method="GET",route="\/",status="503"\} 1\n/);
  assert.match(text, /^svc_http_errors_total\{code="unreachable"\} 1$/m);
  assert.match(text, /^process_resident_memory_bytes \d/m);
  const quiet = await openStandIn(t);
  assert.equal(quiet.web.metricsUrl, null);
});
