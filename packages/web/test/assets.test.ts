// The headers and encodings of style sheets, scripts and the icon.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { chooseEncoding } from '../src/assets/choose-encoding.ts';
import { openStandIn } from './stand-in-api.ts';

type Seen = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
};

/** Sends a request without decompressing the response, which `fetch` does. */
function ask(address: string, accepted: string, method = 'GET'): Promise<Seen> {
  const { promise, resolve, reject } = Promise.withResolvers<Seen>();
  const init = { method, headers: { 'accept-encoding': accepted }, agent: false, timeout: 60_000 };
  const asked = request(address, init, (answer) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () => {
      const { statusCode: status = 0, headers } = answer;
      resolve({ status, headers, body: Buffer.concat(chunks) });
    });
    answer.on('error', reject);
  });
  asked.on('timeout', () => asked.destroy(new Error(`no answer from ${address}`)));
  asked.on('error', reject).end();
  return promise;
}

test('the style sheet and the icon have a type, a name with a content hash and the encoding that the client prefers', async (t) => {
  const site = await openStandIn(t);
  const page = await site.read('/search');
  const [, icon = ''] = /<link rel="icon" href="([^"]+)"/.exec(page) ?? [];
  const [, styles = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(page) ?? [];
  assert.match(icon, /^\/assets\/icon-[0-9a-f]{12}\.svg$/);
  assert.match(styles, /^\/assets\/web-[0-9a-f]{12}\.css$/);
  const plain = await ask(site.web.origin + styles, 'identity');
  assert.deepEqual(
    Object.fromEntries(
      Object.entries(plain.headers).filter(
        ([name]) => !/^(?:date|connection|keep-alive|x-request-id)$/.test(name),
      ),
    ),
    {
      'content-type': 'text/css; charset=utf-8',
      'content-length': String(plain.body.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    },
  );
  const unpack = { br: zlib.brotliDecompressSync, gzip: zlib.gunzipSync };
  for (const encoding of ['br', 'gzip'] as const) {
    const packed = await ask(`${site.web.origin}${styles}?again`, encoding);
    assert.equal(packed.headers['content-encoding'], encoding);
    assert.equal(packed.headers['content-length'], String(packed.body.length));
    assert.ok(packed.body.length < plain.body.length);
    assert.ok(unpack[encoding](packed.body).equals(plain.body), encoding);
    const head = await ask(site.web.origin + styles, encoding, 'HEAD');
    assert.deepEqual(
      [head.body.length, head.headers['content-length']],
      [0, String(packed.body.length)],
    );
  }
  assert.equal((await ask(site.web.origin + icon, '')).headers['content-type'], 'image/svg+xml');
  for (const path of ['/assets/', '/assets/web.css', '/assets/../package.json', `${styles}x`]) {
    const missing = await ask(site.web.origin + path, '');
    assert.equal(missing.status, 404, path);
    // Another process may have the file, so that no cache may keep this answer.
    assert.equal(missing.headers['cache-control'], 'no-store', path);
    assert.equal(missing.headers['x-content-type-options'], 'nosniff', path);
    assert.match(String(missing.headers['content-type']), /^text\/(?:plain|html)/, path);
  }
});

test('chooseEncoding returns the preferred encoding, brotli without a preference, and no rejected encoding', () => {
  const rows: [accepted: string | undefined, encoding: 'br' | 'gzip' | null][] = [
    [undefined, null],
    ['', null],
    ['gzip', 'gzip'],
    ['GZIP, BR', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0.8,gzip;q=0.8', 'br'],
    ['br; q=0, gzip', 'gzip'],
    ['*;q=0.1', 'br'],
    ['*, br;q=0', 'gzip'],
    ['gzip;q=0, br;q=0, *', null],
    ['gzip;q=nonsense', null],
    ['deflate, zstd', null],
  ];
  for (const [accepted, encoding] of rows)
    assert.equal(chooseEncoding(accepted), encoding, accepted);
});
