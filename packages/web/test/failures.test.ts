// What users see of each error, what the log contains, and what neither contains.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT, startFakeProvider } from '@svc/contracts/testing';
import { until } from '../../../scripts/until.ts';
import { ADA, apiError, gameOf, openStandIn, type StandInAnswer } from './stand-in-api.ts';

const REQUEST = { 'x-request-id': 'req-7' };
const html = (status: number): StandInAnswer => ({
  status,
  headers: { 'content-type': 'text/html' },
  text: '<p>proxy</p>',
});

test('an error of the API is shown with its status, its message and Retry-After', async (t) => {
  const site = await openStandIn(t);
  const rows: [answer: StandInAnswer, status: number, retry: string | null, words: RegExp][] = [
    [apiError(404, 'not_found', 'No', REQUEST), 404, null, /Page not found[\s\S]*req-7/],
    [
      apiError(400, 'invalid_input', 'It is wrong'),
      400,
      null,
      /The request failed<\/h1>\n<p>It is wrong\./,
    ],
    [
      apiError(409, 'not_published', 'Not yet!'),
      409,
      null,
      /The request failed[\s\S]*<p>Not yet!</,
    ],
    [
      apiError(403, 'not_owner', 'Theirs', REQUEST),
      403,
      null,
      /You don’t have permission[\s\S]*Theirs\.[\s\S]*req-7/,
    ],
    [apiError(429, 'rate_limited', 'No', { 'retry-after': '7' }), 429, '7', /Wait 7 seconds/],
    [apiError(429, 'rate_limited', 'No', REQUEST), 429, '60', /Wait 60 seconds[\s\S]*req-7/],
    [
      apiError(429, 'rate_limited', 'Too many accounts. Wait 9 h', { 'retry-after': '31104' }),
      429,
      '31104',
      /Too many requests<\/h1>\n<p>Too many accounts\. Wait 9 h\.</,
    ],
    [
      apiError(507, 'storage_full', 'No room', REQUEST),
      507,
      null,
      /The storage is full[\s\S]*No room\.[\s\S]*req-7/,
    ],
    [
      apiError(503, 'hook_failed', 'Not checked', { ...REQUEST, 'retry-after': '30' }),
      503,
      '30',
      /Builds can’t be checked now[\s\S]*Not checked\.[\s\S]*req-7/,
    ],
    [apiError(500, 'internal', 'inside', REQUEST), 503, '30', /is unavailable[\s\S]*req-7/],
    [
      apiError(503, 'unavailable', 'inside', { ...REQUEST, 'retry-after': '2' }),
      503,
      '2',
      /can’t be reached now\. Try again in a moment[\s\S]*req-7/,
    ],
    [apiError(503, 'busy', 'inside'), 503, '5', /is unavailable/],
    [apiError(499, 'of_another_service', 'inside'), 503, '5', /is unavailable/],
    // A proxy without a running API.
    [html(404), 503, '5', /is unavailable/],
    [html(401), 503, '5', /is unavailable/],
    [html(502), 503, '5', /is unavailable/],
    [html(302), 503, '5', /is unavailable/],
    [html(200), 503, '5', /is unavailable/],
  ];
  for (const [answer, status, retry, words] of rows) {
    site.api.answers['GET /home'] = answer;
    const response = await site.ask('/');
    const text = await response.text();
    const of = JSON.stringify(answer);
    assert.deepEqual([response.status, response.headers.get('retry-after')], [status, retry], of);
    assert.match(text, words, of);
    assert.doesNotMatch(text, /inside|proxy/, of);
    assert.equal(response.headers.get('cache-control'), 'no-store', of);
    assert.match(text, /<meta name="robots" content="noindex">/);
    assert.equal(/>Try again<\/a>/.test(text), status >= 500, of);
  }
  // Only the internal error of the API is logged.
  assert.deepEqual(
    site.lines.map((line) => line.split('\n')[0]),
    ['internal: a request failed: PlatformError: inside'],
  );
});

test('a failed GET request has a link to try again, and a failed form has none', async (t) => {
  const site = await openStandIn(t);
  site.api.answers['GET /search'] = apiError(500, 'internal');
  assert.match(
    await site.read('/search?q=a%26b'),
    /<a class="button" href="\/search\?q=a%26b">Try again</,
  );
  site.api.answers['GET /me'] = apiError(500, 'internal');
  const sent = await site.send('/dashboard/new', {}, { cookie: await site.cookie() });
  assert.equal(sent.status, 503);
  assert.doesNotMatch(await sent.text(), /Try again<\/a>/);
});

test('a bug of the site is logged with its stack, and users see no details', async (t) => {
  const site = await openStandIn(t);
  site.api.answers['GET /home'] = { json: null };
  const response = await site.ask('/');
  assert.equal(response.status, 500);
  assert.equal(response.headers.get('retry-after'), null);
  const text = await response.text();
  assert.match(text, /An error occurred/);
  assert.doesNotMatch(text, /TypeError|\.ts/);
  assert.equal(site.lines.length, 1);
  assert.match(site.lines[0] ?? '', /^internal: a request failed: TypeError[\s\S]*home-page\.ts/);
});

test('a script receives an error as JSON with the details of the API', async (t) => {
  const site = await openStandIn(t);
  const details = [{ path: 'version', message: 'It is used' }];
  const error = { code: 'invalid_input', message: 'It is used', details };
  const refused: StandInAnswer = {
    status: 400,
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify({ error }),
  };
  const rows: [answer: StandInAnswer, status: number, error: object][] = [
    [refused, 400, { ...error, message: 'It is used.' }],
    [
      apiError(401, 'unauthenticated'),
      401,
      {
        code: 'unauthenticated',
        message: 'Your session has ended. Sign in again in another tab, then try again.',
        details: [],
      },
    ],
    [
      { json: null },
      500,
      {
        code: 'internal',
        message: 'The server could not complete the request. The error has been logged.',
        details: [],
      },
    ],
  ];
  const unreachable = {
    code: 'unreachable',
    message: 'The store’s server can’t be reached now. Try again in a moment.',
    details: [],
  };
  rows.push([html(502), 503, unreachable]);
  const busy = apiError(429, 'rate_limited', 'No', { 'retry-after': '7' });
  const wait = { code: 'rate_limited', message: 'Wait 7 seconds and try again.', details: [] };
  rows.push([busy, 429, wait]);
  for (const [answer, status, error] of rows) {
    site.api.answers['GET /home'] = answer;
    const response = await site.ask('/', { headers: { accept: 'application/json' } });
    assert.equal(response.status, status);
    const retry = new Map([
      [503, '5'],
      [429, '7'],
    ]);
    assert.equal(response.headers.get('retry-after'), retry.get(status) ?? null);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.deepEqual(await response.json(), { error });
  }
});

test('a form of another site is rejected before its body is read', async (t) => {
  const site = await openStandIn(t);
  const cookie = await site.cookie();
  for (const path of ['/dashboard/new', '/dashboard/games/x/upload', '/sign-out']) {
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/xml']) {
      const response = await site.ask(path, {
        method: 'POST',
        body: 'x'.repeat(600_000),
        headers: { cookie, 'content-type': type, origin: 'https://evil.example' },
      });
      assert.equal(response.status, 403, `${path} ${type}`);
      assert.match(await response.text(), /was sent from another site[\s\S]*Nothing was changed/);
      assert.deepEqual(response.headers.getSetCookie(), []);
    }
  }
  const headers = { origin: 'https://evil.example', accept: 'application/json' };
  const script = await site.ask('/sign-out', { method: 'POST', headers });
  const { error } = (await script.json()) as { error: { code: string } };
  assert.deepEqual([script.status, error.code], [403, 'cross_site']);
  assert.deepEqual(site.api.asked, []);
});

test('a form can have half a megabyte', async (t) => {
  const site = await openStandIn(t);
  const body = (length: number): string => `x=${'x'.repeat(length - 2)}`;
  const send = async (text: string): Promise<number> => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: site.web.origin,
    };
    const response = await site.ask('/sign-out', { method: 'POST', body: text, headers });
    await response.arrayBuffer();
    return response.status;
  };
  assert.equal(await send(body(512 * 1024)), 303);
  assert.equal(await send(body(512 * 1024 + 1)), 413);
});

test('a signed-out visitor is redirected to the sign-in and back, and a submitted form is kept', async (t) => {
  const site = await openStandIn(t);
  const path = '/dashboard/games/x/page?a=1&b=2';
  const led = await site.ask(path);
  assert.deepEqual(
    [led.status, led.headers.get('location'), led.headers.get('cache-control')],
    [303, `/sign-in?return_to=${encodeURIComponent(path)}`, 'no-store'],
  );
  const kept = await site.send(
    path,
    new URLSearchParams([
      ['a', '1'],
      ['a', '\n"2"'],
    ]),
  );
  assert.deepEqual([kept.status, kept.headers.get('cache-control')], [401, 'no-store']);
  const text = await kept.text();
  assert.match(text, /<form method="post" action="\/dashboard\/games\/x\/page\?a=1&amp;b=2">/);
  assert.match(
    text,
    /<textarea name="a" hidden>\n1<\/textarea><textarea name="a" hidden>\n\n&quot;2&quot;</,
  );
  // The other tab only confirms the sign-in.
  assert.match(text, /<a class="button" href="\/sign-in\?return_to=\/signed-in" target="_blank">/);
  const upload = await site.send('/dashboard/games/x/upload', new FormData());
  assert.equal(upload.status, 401);
  const response = await upload.text();
  assert.match(response, /Your upload was not accepted/);
  assert.doesNotMatch(response, /Submit again<\/button>|Your input is kept/);
});

test('a session that the API rejects has ended', async (t) => {
  const site = await openStandIn(t);
  site.api.answers['GET /me'] = apiError(401, 'unauthenticated');
  const led = await site.ask('/dashboard', { headers: { cookie: await site.cookie() } });
  assert.deepEqual(
    [led.status, led.headers.get('location')],
    [303, '/sign-in?return_to=%2Fdashboard'],
  );
});

test('the API receives the visitor’s address: that of the connection, or the one that a trusted proxy reports', async (t) => {
  const forwarded = { headers: { 'x-forwarded-for': '203.0.113.7' } };
  for (const [trustProxy, address] of [
    [null, '127.0.0.1'],
    ['127.0.0.1', '203.0.113.7'],
  ] as const) {
    const site = await openStandIn(t, { trustProxy });
    await site.read('/search?q=x', forwarded);
    const asked = site.api.asked.find(({ route }) => route === 'GET /search');
    assert.equal(asked?.headers['x-forwarded-for'], address);
  }
});

test('an API call is aborted when the visitor disconnects', async (t) => {
  // Shorter than the timeouts of the call and of the request.
  const [apiTimeoutMs, patienceMs] = [60_000, 20_000];
  const site = await openStandIn(t, { apiTimeoutMs });
  site.api.answers['GET /home'] = 'hang';
  const leaving = new AbortController();
  const answer = site.ask('/', { signal: leaving.signal });
  answer.catch(() => {});
  await until(
    () => site.api.asked.find(({ route }) => route === 'GET /home'),
    (asked) => asked !== undefined,
    'the API is asked',
    10_000,
  );
  leaving.abort();
  await assert.rejects(answer);
  await until(
    () => site.api.asked.find(({ route }) => route === 'GET /home')?.over,
    (over) => over === true,
    'the call is given up',
    patienceMs,
  );
});

test('an unsupported method and a form that is too large are explained on a page', async (t) => {
  const site = await openStandIn(t);
  const wrong = await site.send('/search', {});
  assert.equal(wrong.headers.get('allow'), 'GET, HEAD');
  assert.match(
    await wrong.text(),
    /Method not allowed[\s\S]*accepts GET, HEAD only\. Nothing was changed\./,
  );
  const large = await site.send('/sign-out', { x: 'x'.repeat(600_000) });
  assert.match(await large.text(), /The request failed[\s\S]*at most 524,288 bytes\./);
});

test('a page waits four seconds for the API, an upload an hour, and a sign-in ten seconds for the provider', async (t) => {
  const site = await openStandIn(t);
  const cookie = await site.cookie();
  const { issuer } = await startFakeProvider(t);
  site.api.answers['GET /auth/config'] = { json: { issuer, client_id: CLIENT } };
  const { mock } = t.mock.method(AbortSignal, 'timeout');
  /** The timeouts of the site's calls during the test, in seconds. */
  const waits = async (work: Promise<Response>): Promise<number[]> => {
    await (await work).arrayBuffer();
    const given = mock.calls.map(({ arguments: [ms] }) => ms / 1000);
    mock.resetCalls();
    // The first timeout is that of the test itself.
    return [...new Set(given.slice(1))].toSorted((a, b) => a - b);
  };
  assert.deepEqual(await waits(site.ask('/search?q=x')), [4]);
  site.api.answers['GET /me'] = { json: { user: ADA, auth: { kind: 'session' } } };
  const uploads: [path: string, waits: number[]][] = [
    ['/dashboard/games/x/upload', [4, 3600]],
    ['/dashboard/games/x/media', [4, 3600]],
    ['/dashboard/profile/avatar', [3600]],
    ['/dashboard/profile/avatar/remove', [8]],
  ];
  for (const [path, expected] of uploads) {
    assert.deepEqual(await waits(site.send(path, new FormData(), { cookie })), expected, path);
  }
  assert.deepEqual(await waits(site.ask('/sign-in')), [4, 10]);
});

test('a page whose calls follow each other waits for all of them together', async (t) => {
  const site = await openStandIn(t, { apiTimeoutMs: 1_000 });
  const cookie = await site.cookie();
  site.api.answers['GET /me'] = { json: { user: ADA, auth: { kind: 'session' } } };
  site.api.answers['GET /projects/x'] = 'hang';
  const { mock } = t.mock.method(AbortSignal, 'timeout');
  const answer = await site.ask('/dashboard/games/x/page', { headers: { cookie } });
  assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '5']);
  assert.match(await answer.text(), /responds too slowly\. Try again in a moment/);
  // One for the test, one for the limits, and one for both calls of the page.
  assert.equal(mock.callCount(), 3);
});

test('each call for a sitemap has its own time, because a large store needs many', async (t) => {
  const site = await openStandIn(t);
  site.api.answers['GET /home'] = ({ query }) => ({
    json: { games: [gameOf()], next_cursor: query['cursor'] === undefined ? 'c' : null },
  });
  for (const path of ['/sitemap.xml', '/sitemap-games.xml']) {
    const { mock } = t.mock.method(AbortSignal, 'timeout');
    const before = site.api.asked.length;
    assert.equal((await site.ask(path)).status, 200);
    const asked = site.api.asked.length - before;
    assert.ok(asked >= 2, `${asked} calls`);
    // One more for the test itself.
    assert.equal(mock.callCount(), asked + 1);
    mock.restore();
  }
});

test('a sign-in without the API is 503, and its page leads to a new sign-in', async (t) => {
  const site = await openStandIn(t, { apiTimeoutMs: 200 });
  for (const answer of [html(404), html(502), apiError(503, 'unavailable'), 'hang'] as const) {
    site.api.answers['GET /auth/config'] = answer;
    const response = await site.ask('/sign-in');
    assert.equal(response.status, 503, JSON.stringify(answer));
    assert.match(await response.text(), /is unavailable/);
  }
  // An API that names no provider.
  site.api.answers['GET /auth/config'] = apiError(404, 'not_found');
  assert.equal((await site.ask('/sign-in')).status, 502);
  const { issuer } = await startFakeProvider(t);
  site.api.answers['GET /auth/config'] = { json: { issuer, client_id: CLIENT } };
  const refused = await site.read('/sign-in/callback?state=x');
  assert.match(refused, /<a class="button" href="\/sign-in">Try again</);
});

test('a page survives an API that drops its idle connections, and an answer that is cut off is 503', async (t) => {
  const site = await openStandIn(t);
  const home: StandInAnswer = { json: { games: [], next_cursor: null } };
  let drops = 2;
  site.api.answers['GET /home'] = () => (drops-- > 0 ? 'drop' : home);
  assert.equal((await site.ask('/')).status, 200);
  site.api.answers['GET /home'] = 'cut';
  const cut = await site.ask('/');
  assert.equal(cut.status, 503);
  assert.match(await cut.text(), /is unavailable/);
  assert.deepEqual(site.lines, []);
});

test('a change is sent once, even if the API drops the connection', async (t) => {
  const site = await openStandIn(t);
  site.api.answers['DELETE /me/avatar'] = 'drop';
  const cookie = await site.cookie();
  const answer = await site.send('/dashboard/profile/avatar/remove', {}, { cookie });
  assert.equal(answer.status, 503);
  const sent = site.api.asked.filter(({ route }) => route === 'DELETE /me/avatar');
  assert.equal(sent.length, 1);
});

test('an upload has a timeout of an hour, and other requests a much shorter one', async (t) => {
  const site = await openStandIn(t);
  const cookie = await site.cookie();
  site.api.answers['GET /me'] = { json: { user: ADA, auth: { kind: 'session' } } };
  const { mock } = t.mock.method(globalThis, 'setTimeout');
  /** The longest timer during the test, in minutes. */
  const longest = async (work: Promise<Response>): Promise<number> => {
    await (await work).arrayBuffer();
    const given = mock.calls.map(({ arguments: [, ms] }) => ms ?? 0);
    mock.resetCalls();
    return Math.max(...given) / 60_000;
  };
  assert.ok((await longest(site.ask('/search?q=x'))) < 2);
  assert.ok((await longest(site.send('/dashboard/new', {}, { cookie }))) < 2);
  for (const path of ['games/x/upload', 'games/x/media', 'profile/avatar']) {
    const minutes = await longest(site.send(`/dashboard/${path}`, new FormData(), { cookie }));
    assert.ok(minutes > 55 && minutes < 61, `${path}: ${minutes}`);
  }
});
