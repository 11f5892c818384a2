// The store's pages over HTTP with a real platform.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { after, before, test } from 'node:test';
import { publishBuild } from '@svc/platform/testing';
import { startWeb } from '../src/index.ts';
import { openSite, type Site } from './open-site.ts';

const EVIL = `"><img src=x onerror=alert(1)><script>alert(2)</script>'`;
const BUILD = { 'index.html': '<!doctype html><title>g</title>' };

let site: Site;
let uid = '';

before(async () => {
  site = await openSite();
  const dev = await site.developer(`Eve ${EVIL}`);
  uid = dev.uid;
  const { game } = await dev.client.call('createProject', {
    body: { title: `Evil ${EVIL}`, slug: 'evil-game', tagline: EVIL, tags: ['spooky'] },
  });
  const form = new FormData();
  form.set(
    'metadata',
    JSON.stringify({ description: `${EVIL}\n\n[x](javascript:alert(1))`, category: 'horror' }),
  );
  await dev.client.call('updateStore', { params: { id: game.id }, form });
  await publishBuild(dev.client, game.id, '1.0.0', BUILD, `notes ${EVIL}`);
});
after(() => site[Symbol.asyncDispose]());

async function read(path: string): Promise<{ status: number; text: string; headers: Headers }> {
  const answer = await fetch(site.origin + path, { redirect: 'manual' });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

/** Asserts that no hostile text appears as markup. */
function holdsNoMarkup(text: string): void {
  assert.doesNotMatch(text, /<img src=x|<script>alert|onerror=alert\(1\)>/);
  assert.doesNotMatch(text, /href="javascript:/i);
}

test('every public page escapes hostile text and has a strict policy', async () => {
  const paths = [
    '/',
    '/games/evil-game',
    '/games/evil-game?play=1',
    '/games/evil-game/releases',
    `/devs/${uid}`,
    '/tags/spooky',
    '/categories/horror',
    '/search?q=evil',
    `/search?q=${encodeURIComponent(EVIL)}`,
  ];
  for (const path of paths) {
    const { status, text, headers } = await read(path);
    assert.equal(status, 200, path);
    holdsNoMarkup(text);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(
      policy,
      /default-src 'none'.*script-src 'nonce-[^']+' 'strict-dynamic'.*frame-ancestors 'none'/,
      path,
    );
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(headers.get('x-frame-options'), 'DENY');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  }
});

test('GET / has a new nonce in each response', async () => {
  const nonces = await Promise.all([read('/'), read('/')]);
  const [a, b] = nonces.map(
    ({ headers }) => /nonce-([^']+)/.exec(headers.get('content-security-policy') ?? '')?.[1],
  );
  assert.notEqual(a, b);
});

test('GET /games/:slug has a Play link without JavaScript, and may frame only the game', async () => {
  const page = await read('/games/evil-game');
  assert.doesNotMatch(page.text, /<iframe/);
  assert.match(page.text, /href="\/games\/evil-game\?play=1#player"/);
  const playing = await read('/games/evil-game?play=1');
  assert.match(
    playing.text,
    /<iframe src="http:\/\/127\.0\.0\.1:\d+\/play\/evil-game\/\.release\/[0-9a-f-]{36}\/" title="[^"]+" allow="cross-origin-isolated; fullscreen; gamepad; autoplay[^"]*"/,
  );
  const origin = new URL(site.platform.baseUrl).origin;
  assert.match(
    playing.headers.get('content-security-policy') ?? '',
    new RegExp(`frame-src ${origin};`),
  );
  assert.equal(playing.headers.get('cross-origin-opener-policy'), 'same-origin');
  assert.equal(playing.headers.get('cross-origin-embedder-policy'), 'credentialless');
});

test('GET /games/:slug contains structured data', async () => {
  const { text } = await read('/games/evil-game');
  const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(text) ?? [];
  const data = JSON.parse(json);
  assert.equal(data['@type'], 'VideoGame');
  assert.equal(data.name, `Evil ${EVIL}`);
  assert.match(text, /<meta property="og:title" content="Evil &quot;&gt;/);
  assert.match(text, new RegExp(`<link rel="canonical" href="${site.origin}/games/evil-game">`));
});

test('feeds and the sitemap are XML and contain the game', async () => {
  for (const path of ['/feed.xml', '/games/evil-game/releases.xml', '/sitemap-games.xml']) {
    const { status, text, headers } = await read(path);
    assert.equal(status, 200, path);
    assert.match(headers.get('content-type') ?? '', /xml/);
    assert.match(text, /^<\?xml version="1\.0"/);
    assert.match(text, new RegExp(`${site.origin}/games/evil-game`));
    holdsNoMarkup(text);
  }
  assert.match((await read('/sitemap.xml')).text, /<loc>http:[^<]+\/sitemap-games\.xml<\/loc>/);
  assert.match((await read('/robots.txt')).text, /Sitemap: http:.*\/sitemap\.xml/);
});

test('GET and HEAD of an unknown address return a 404 page with a search', async () => {
  for (const path of [
    '/nowhere',
    '/games/nowhere',
    '/games/%00',
    '/devs/x',
    '/tags/NO',
    '/categories/x',
    '/assets/x.js',
  ]) {
    assert.equal((await read(path)).status, 404, path);
  }
  const { text } = await read('/games/nowhere');
  assert.match(text, /Page not found/);
  assert.match(text, /href="\/"/);
  const head = await fetch(`${site.origin}/nowhere`, { method: 'HEAD' });
  assert.equal(head.status, 404);
  assert.equal(await head.text(), '');
});

test('an unsupported method returns a page with its status and the Allow header', async () => {
  const own = { origin: '', 'content-type': 'application/x-www-form-urlencoded' };
  const ask = async (path: string, init: RequestInit) => {
    const headers = { ...own, origin: site.origin, ...init.headers };
    const answer = await fetch(site.origin + path, { ...init, headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const wrong = await ask('/games/evil-game', { method: 'POST' });
  assert.equal(wrong.status, 405);
  assert.equal(wrong.headers.get('allow'), 'GET, HEAD');
  const get = await ask('/sign-out', { method: 'GET' });
  assert.equal(get.status, 405);
  assert.equal(get.headers.get('allow'), 'POST');
  const large = await ask('/dashboard/new', { method: 'POST', body: 'x'.repeat(600_000) });
  assert.equal(large.status, 413);
  const type = await ask('/dashboard/new', {
    method: 'POST',
    body: '<x/>',
    headers: { 'content-type': 'text/xml' },
  });
  assert.equal(type.status, 415);
  const torn = await ask('/games/%zz', { method: 'GET' });
  assert.equal(torn.status, 400);
  for (const { text, headers } of [wrong, get, large, type, torn]) {
    assert.match(headers.get('content-type') ?? '', /^text\/html/);
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.match(text, /<main[\s\S]*href="\/">Newest games<\/a>/);
  }
  const script = await ask('/sign-out', { method: 'GET', headers: { accept: 'application/json' } });
  assert.equal(JSON.parse(script.text).error.code, 'method_not_allowed');
});

test('GET / with an invalid cursor returns 400', async () => {
  const { status, text } = await read('/?cursor=nonsense');
  assert.equal(status, 400);
  assert.match(text, /The request failed/);
});

test('GET /assets is compressed, immutable and has a type', async () => {
  const { text } = await read('/');
  const [, path = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(text) ?? [];
  const answer = await fetch(site.origin + path, { headers: { 'accept-encoding': 'br' } });
  assert.equal(answer.headers.get('content-encoding'), 'br');
  assert.match(answer.headers.get('cache-control') ?? '', /immutable/);
  assert.match(await answer.text(), /--accent/);
});

test('an unreachable or hanging API is reported on a page within the timeout', async () => {
  await using dead = await startWeb({ apiUrl: 'http://127.0.0.1:9', port: 0 });
  const answer = await fetch(dead.origin);
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get('retry-after'), '5');
  assert.match(await answer.text(), /The store is unavailable/);

  await using silent = await standIn(() => {});
  await using slow = await startWeb({ apiUrl: silent.url, port: 0, apiTimeoutMs: 100 });
  const late = await fetch(`${slow.origin}/games/x`);
  assert.equal(late.status, 503);
  assert.match(await late.text(), /Try again/);
});

test('another service at the address of the API is reported as an unavailable store', async () => {
  await using odd = await standIn((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>proxy</h1>');
  });
  await using web = await startWeb({ apiUrl: odd.url, port: 0 });
  const answer = await fetch(web.origin);
  assert.equal(answer.status, 503);
  assert.match(await answer.text(), /The store is unavailable/);
});

/** Starts a server in place of the API. */
async function standIn(listener: RequestListener): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
