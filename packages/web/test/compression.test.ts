// Which responses are compressed. Responses with a user's data are not.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import zlib from 'node:zlib';
import fastify from 'fastify';
import { compressText } from '../src/page/compress.ts';
import { openBareBrowser } from './browser-without-screen.ts';
import { openSite, type Site } from './open-site.ts';

let site: Site;
before(async () => {
  site = await openSite();
});
after(() => site[Symbol.asyncDispose]());

type Seen = { readonly headers: Readonly<Record<string, unknown>>; readonly body: Buffer };

/** Sends a request without decompressing the response, which `fetch` does. */
function ask(path: string, headers: Record<string, string>, method = 'GET'): Promise<Seen> {
  const { promise, resolve, reject } = Promise.withResolvers<Seen>();
  const asked = request(site.origin + path, { method, headers, agent: false }, (answer) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(chunks) }));
    answer.on('error', reject);
  });
  asked.on('error', reject).end();
  return promise;
}

test('a page for a signed-out visitor has the encoding that the client prefers', async () => {
  const cases: [accepted: string, encoding: string | undefined][] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['identity', undefined],
    ['', undefined],
  ];
  for (const [accepted, expected] of cases) {
    const { headers, body } = await ask('/', { 'accept-encoding': accepted });
    assert.equal(headers['content-encoding'], expected, accepted);
    assert.equal(headers['vary'], 'Cookie, Accept-Encoding');
    assert.equal(headers['content-length'], String(body.length));
    const unpack = { br: zlib.brotliDecompressSync, gzip: zlib.gunzipSync }[expected ?? ''];
    assert.match(
      String(unpack === undefined ? body : unpack(body)),
      /^<!doctype html>[\s\S]*<\/html>\s*$/,
    );
  }
});

test('feeds and sitemaps are compressed, and small responses are not', async () => {
  const accept = { 'accept-encoding': 'br' };
  const sitemap = await ask('/sitemap-games.xml', accept);
  assert.equal(sitemap.headers['content-encoding'], 'br');
  assert.match(String(zlib.brotliDecompressSync(sitemap.body)), /^<\?xml[\s\S]*<\/urlset>\s*$/);
  for (const path of ['/robots.txt', '/feed.xml', '/feed.atom']) {
    const small = await ask(path, accept);
    assert.ok(small.body.length < 1024, path);
    assert.equal(small.headers['content-encoding'], undefined, path);
    assert.equal(small.headers['vary'], 'Accept-Encoding', path);
  }
});

test('a response of another type is not compressed, even if its payload is a string', async (t) => {
  const app = fastify();
  t.after(() => app.close());
  app.addHook('onSend', compressText);
  const long = 'x'.repeat(5_000);
  app.get('/', (request, reply) => reply.type(String(request.headers['x-type'])).send(long));
  for (const [type, encoding] of [
    ['text/plain', 'br'],
    ['application/octet-stream', undefined],
    ['application/json', undefined],
    ['text/csv', undefined],
    ['text/plain-old', undefined],
  ]) {
    const headers = { 'accept-encoding': 'br', 'x-type': type };
    const sent = await app.inject({ url: '/', headers });
    assert.equal(sent.headers['content-encoding'], encoding, type);
    assert.equal(sent.headers['vary'], encoding && 'Accept-Encoding', type);
  }
});

test('HEAD of a page has the headers of GET and no body', async () => {
  const accept = { 'accept-encoding': 'gzip' };
  const head = await ask('/search?q=x', accept, 'HEAD');
  assert.equal(head.body.length, 0);
  assert.equal(head.headers['content-encoding'], 'gzip');
  assert.ok(Number(head.headers['content-length']) > 500);
});

test('a page for a signed-in user and the response to a form are not compressed', async () => {
  const ada = openBareBrowser(site.origin);
  await ada.signIn('Ada');
  const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  for (const path of ['/', '/search?q=Ada', '/dashboard/profile']) {
    const { headers, body } = await ask(path, { cookie, 'accept-encoding': 'br, gzip' });
    assert.equal(headers['content-encoding'], undefined, path);
    assert.match(String(body), /Ada/);
    assert.equal(headers['vary'], 'Cookie, Accept-Encoding', path);
  }
  // The same applies during a sign-in.
  const begun = await ask('/', { cookie: 'a=b; svc_sign_in=x', 'accept-encoding': 'br' });
  assert.equal(begun.headers['content-encoding'], undefined);
  const other = await ask('/', { cookie: 'analytics=1', 'accept-encoding': 'br' });
  assert.equal(other.headers['content-encoding'], 'br');
  const form = { 'accept-encoding': 'br', 'sec-fetch-site': 'same-origin' };
  const sent = await ask('/dashboard/tokens', form, 'POST');
  assert.equal(sent.headers['content-encoding'], undefined);
});
