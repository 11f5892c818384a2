// Sign-in and sign-out over HTTP: the cookies that are set and removed, and sign-ins that fail.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CLIENT, type FakeProvider, startFakeProvider } from '@svc/contracts/testing';
import { logTo } from '@svc/observe/testing';
import type { WebOptions } from '../src/index.ts';
import { startWeb } from '../src/index.ts';
import { createSealedCookies } from '../src/session/sealed-cookies.ts';
import { holdsOwnCookie } from '../src/session/session-cookie.ts';
import { ADA, apiError, openStandIn, SECRET, type StandInSite } from './stand-in-api.ts';

type Begun = StandInSite & {
  readonly fake: FakeProvider;
  /** The cookie of the started sign-in, and the parameters of the request to the provider. */
  readonly attempt: string;
  readonly asked: URLSearchParams;
  /** Opens the callback address as the provider's redirect would, with more cookies than that of the attempt. */
  finish(parameters?: Record<string, string>, cookies?: readonly string[]): Promise<Response>;
};

/** A site with a started sign-in that would succeed. */
async function begin(
  t: TestContext,
  returnTo = '/games/x?y=1',
  options: Partial<WebOptions> = {},
): Promise<Begun> {
  const fake = await startFakeProvider(t);
  const site = await openStandIn(t, options);
  site.api.answers['GET /auth/config'] = { json: { issuer: fake.issuer, client_id: CLIENT } };
  site.api.answers['POST /auth/session'] = { json: { user: ADA } };
  const sent = await site.ask(`/sign-in?return_to=${encodeURIComponent(returnTo)}`);
  assert.equal(sent.status, 303);
  const { searchParams, origin } = new URL(sent.headers.get('location') ?? '');
  assert.equal(origin, fake.issuer);
  fake.claims = { nonce: searchParams.get('nonce') };
  fake.tokens = { refresh_token: 'again' };
  const [line = ''] = sent.headers.getSetCookie();
  const attempt = line.split(';')[0] ?? '';
  return {
    ...site,
    fake,
    attempt,
    asked: searchParams,
    finish: (parameters = {}, cookies = []) => {
      const query = new URLSearchParams({
        code: 'c',
        state: searchParams.get('state') ?? '',
        ...parameters,
      });
      const cookie = [attempt, ...cookies].join('; ');
      return site.ask(`/sign-in/callback?${query}`, { headers: { cookie } });
    },
  };
}

/** The cookies that a response sets, by name: value and attributes. */
function cookiesOf(answer: Response): Map<string, [value: string, attributes: string]> {
  return new Map(
    answer.headers.getSetCookie().map((line) => {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*); (.*)$/.exec(line) ?? [];
      return [name, [value, attributes]];
    }),
  );
}

const GONE = 'Max-Age=0; Path=/; HttpOnly; SameSite=Lax';

test('a sign-in returns to the page where it was started, with a session of thirty days, and can’t be repeated', async (t) => {
  const site = await begin(t);
  const done = await site.finish();
  assert.deepEqual([done.status, done.headers.get('location')], [303, '/games/x?y=1']);
  assert.equal(done.headers.get('cache-control'), 'no-store');
  const cookies = cookiesOf(done);
  assert.deepEqual(cookies.get('svc_sign_in'), ['', GONE]);
  const [value = '', attributes] = cookies.get('svc_session') ?? [];
  assert.equal(attributes, 'Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax');
  const opened = site.api.asked.find(({ route }) => route === 'POST /auth/session');
  assert.equal(JSON.parse(opened?.body ?? '').id_token.split('.').length, 3);
  assert.equal(opened?.headers.authorization, undefined);
  assert.equal(opened?.headers['x-forwarded-for'], '127.0.0.1', 'new accounts count for it');
  const front = await site.read('/search', { headers: { cookie: `svc_session=${value}` } });
  assert.match(front, /<span class="who">Ada<\/span>/);
  assert.match(front, /href="\/devs\/ada-uid"/);
});

test('the callback address is on the origin of the site, and on https the cookies are Secure', async (t) => {
  const plain = await begin(t);
  assert.equal(plain.asked.get('redirect_uri'), `${plain.web.origin}/sign-in/callback`);
  assert.match(plain.attempt, /^svc_sign_in=/);
  const safe = await begin(t, '/', { origin: 'https://games.example' });
  assert.equal(safe.asked.get('redirect_uri'), 'https://games.example/sign-in/callback');
  assert.match(safe.attempt, /^__Host-svc_sign_in=/);
  const cookies = cookiesOf(await safe.finish());
  assert.match(cookies.get('__Host-svc_session')?.[1] ?? '', /; HttpOnly; SameSite=Lax; Secure$/);
});

test('a sign-in with a different state fails and removes the started attempt', async (t) => {
  const site = await begin(t);
  for (const parameters of [{ state: 'of-another' }, { error: 'access_denied' }]) {
    const refused = await site.finish(parameters);
    assert.equal(refused.status, 502);
    const cookies = cookiesOf(refused);
    assert.deepEqual(cookies.get('svc_sign_in'), ['', GONE]);
    assert.equal(cookies.has('svc_session'), false);
    assert.match(await refused.text(), /Sign-in failed[\s\S]*Nothing was changed/);
  }
  assert.deepEqual(site.fake.asked, []);
});

test('an ID token that the API rejects is shown as a failed sign-in, and other errors as themselves', async (t) => {
  const site = await begin(t);
  site.api.answers['POST /auth/session'] = apiError(401, 'unauthenticated');
  const refused = await site.finish();
  assert.equal(refused.status, 502);
  assert.match(await refused.text(), /The store rejected the token of the identity provider\./);
  site.api.answers['POST /auth/session'] = apiError(503, 'identity_unavailable');
  const failed = await site.finish();
  assert.equal(failed.status, 503);
  for (const answer of [refused, failed]) assert.equal(cookiesOf(answer).has('svc_session'), false);
});

test('with several providers the visitor chooses one on a page, which keeps the path to return to', async (t) => {
  const [one, two] = await Promise.all([startFakeProvider(t), startFakeProvider(t)]);
  const site = await openStandIn(t);
  const providers = [
    { issuer: one.issuer, name: 'Players <one>', client_id: CLIENT, cli_client_id: CLIENT },
    { issuer: two.issuer, name: 'Second', client_id: CLIENT, cli_client_id: CLIENT },
  ];
  const answer = { issuer: one.issuer, client_id: CLIENT, providers };
  site.api.answers['GET /auth/config'] = { json: answer };
  site.api.answers['POST /auth/session'] = { json: { user: ADA } };
  const chosen = await site.ask('/sign-in?return_to=%2Fgames%2Fx%3Fy%3D1');
  assert.deepEqual([chosen.status, chosen.headers.get('cache-control')], [200, 'no-store']);
  assert.deepEqual(chosen.headers.getSetCookie(), []);
  const page = await chosen.text();
  assert.match(page, /Continue with Players &lt;one&gt;<\/a>[\s\S]*Continue with Second<\/a>/);
  const links = [...page.matchAll(/href="(\/sign-in\?provider=[^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );
  assert.equal(links.length, 2);
  const begun = await site.ask(links[1] ?? '');
  const { origin, searchParams } = new URL(begun.headers.get('location') ?? '');
  assert.equal(origin, two.issuer);
  two.claims = { nonce: searchParams.get('nonce') };
  const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const query = new URLSearchParams({ code: 'c', state: searchParams.get('state') ?? '' });
  const done = await site.ask(`/sign-in/callback?${query}`, { headers: { cookie } });
  assert.deepEqual([done.status, done.headers.get('location')], [303, '/games/x?y=1']);
  assert.deepEqual([one.asked.length, two.asked.length], [0, 1]);
});

test('a sign-in at a provider that the API does not name shows the known ones with a message', async (t) => {
  const site = await begin(t);
  for (const provider of ['https://evil.example', '', 'x']) {
    const query = new URLSearchParams({ provider, return_to: '/search' });
    const answer = await site.ask(`/sign-in?${query}`);
    assert.equal(answer.status, 404);
    const page = await answer.text();
    assert.match(page, /role="alert">This store does not offer a sign-in at that provider/);
    assert.match(page, /href="\/sign-in\?provider=[^"]*&amp;return_to=%2Fsearch"/);
    assert.match(page, /href="\/sign-in\?return_to=%2Fsearch" rel="nofollow">Sign in</);
    assert.doesNotMatch(page, /evil/);
  }
  const known = await site.ask(`/sign-in?${new URLSearchParams({ provider: site.fake.issuer })}`);
  assert.equal(known.status, 303);
});

test('signing out removes all pieces of the session cookie and redirects to the front page', async (t) => {
  const site = await openStandIn(t);
  const out = await site.send('/sign-out', {}, { cookie: await site.cookie() });
  assert.deepEqual([out.status, out.headers.get('location')], [303, '/']);
  assert.deepEqual(
    [...cookiesOf(out)],
    ['', '-1', '-2', '-3'].map((piece) => [`svc_session${piece}`, ['', GONE]]),
  );
});

/** What each sign-in has sent as its device. */
function devicesOf(site: StandInSite): unknown[] {
  return site.api.asked
    .filter(({ route }) => route === 'POST /auth/session')
    .map(({ body }) => JSON.parse(body).device ?? null);
}

test('what the API sends to a device is kept for 400 days, also after a sign-out, and sent with the next sign-in', async (t) => {
  const site = await begin(t, '/', { origin: 'https://games.example' });
  site.api.answers['POST /auth/session'] = { json: { user: ADA, device: 'known-1' } };
  const [value = '', attributes] = cookiesOf(await site.finish()).get('__Host-svc_device') ?? [];
  assert.equal(attributes, 'Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax; Secure');
  assert.doesNotMatch(value, /known-1/);
  const device = `__Host-svc_device=${value}`;
  const out = await site.send('/sign-out', {}, { cookie: device });
  assert.equal(cookiesOf(out).has('__Host-svc_device'), false);
  await site.finish({}, [device]);
  assert.deepEqual(devicesOf(site), [null, 'known-1']);
});

test('an API of a version without devices is asked again without the field', async (t) => {
  const site = await begin(t);
  site.api.answers['POST /auth/session'] = { json: { user: ADA, device: 'known-3' } };
  const [value = ''] = cookiesOf(await site.finish()).get('svc_device') ?? [];
  site.api.answers['POST /auth/session'] = ({ body }) =>
    'device' in JSON.parse(body) ? apiError(400, 'invalid_input') : { json: { user: ADA } };
  const cookie = `svc_device=${value}`;
  assert.equal((await site.finish({}, [cookie])).status, 303);
  await site.send(
    '/dashboard/become-developer',
    {},
    { cookie: `${await site.cookie()}; ${cookie}` },
  );
  assert.deepEqual(devicesOf(site), [null, 'known-3', null, 'known-3', null]);
});

test('a user who becomes a developer does so on the device of the sign-in', async (t) => {
  const site = await begin(t);
  site.api.answers['POST /auth/session'] = { json: { user: ADA, device: 'known-2' } };
  const [value = ''] = cookiesOf(await site.finish()).get('svc_device') ?? [];
  const cookie = `${await site.cookie()}; svc_device=${value}`;
  await site.send('/dashboard/become-developer', {}, { cookie });
  assert.deepEqual(devicesOf(site), [null, 'known-2']);
});

test('a cookie of a device that is broken, of another kind or with an invalid content is ignored', async (t) => {
  const site = await begin(t);
  const cookies = createSealedCookies([SECRET], false);
  const [foreign = ''] = await createSealedCookies(['x'.repeat(32)], false).seal(
    ...(['svc_device', { device: 'a' }, 60] as const),
  );
  const sealed = await Promise.all(
    [{ device: 'a b' }, { device: 'x'.repeat(129) }, { device: '' }, { device: 5 }, {}].map(
      async (content) => (await cookies.seal('svc_device', content, 60))[0] ?? '',
    ),
  );
  const [session = ''] = (await site.cookie()).split('; ');
  const broken = ['svc_device=x', session.replace('svc_session', 'svc_device'), foreign, ...sealed];
  for (const line of broken) {
    const done = await site.finish({}, [line.split(';')[0] ?? '']);
    assert.equal(done.status, 303, line);
  }
  assert.deepEqual(devicesOf(site), Array(broken.length).fill(null));
  // The API sends nothing, or more than it accepts itself.
  site.api.answers['POST /auth/session'] = { json: { user: ADA, device: 'x'.repeat(129) } };
  assert.equal(cookiesOf(await site.finish()).has('svc_device'), false);
});

test('a session that was encrypted with another secret is ignored', async (t) => {
  const site = await openStandIn(t);
  const other = await openStandIn(t, { secret: `${SECRET}!` });
  const page = { headers: { cookie: await site.cookie() } };
  assert.match(await site.read('/search', page), /class="who">Ada</);
  assert.match(await other.read('/search', page), /href="\/sign-in\?return_to=%2Fsearch"/);
});

test('the log contains a warning only if no secret is set', async (t) => {
  const lines: string[] = [];
  const log = logTo((line) => lines.push(line));
  await using _ = await startWeb({ apiUrl: 'http://127.0.0.1:9', port: 0, log });
  assert.match(lines.join('\n'), /^warning: SVC_WEB_SECRET is not set/);
  assert.deepEqual((await openStandIn(t)).lines, []);
});

test('holdsOwnCookie recognizes session and sign-in cookies, also with the prefix, and no others', () => {
  const own = [
    'svc_session=x',
    'svc_session-3=x',
    'svc_sign_in=x',
    '__Host-svc_session=x',
    'a=b; svc_session=x',
    'a=b;__Host-svc_sign_in=x',
  ];
  for (const header of own) assert.equal(holdsOwnCookie(header), true, header);
  const others = [undefined, '', 'a=b', 'a=svc_session', 'xsvc_session=x', 'a=b; svc_device=x'];
  for (const header of others) assert.equal(holdsOwnCookie(header), false, header);
});

test('the page after a sign-in in another tab confirms it', async (t) => {
  const site = await openStandIn(t);
  assert.match(await site.read('/signed-in'), /<h1>You are signed in<\/h1>/);
});
