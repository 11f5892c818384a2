import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import zlib from 'node:zlib';
import { readErrorCode } from './expect-error.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { type RawResponse, requestRaw } from './raw-request.ts';

const SANDBOX =
  'sandbox allow-scripts allow-same-origin allow-pointer-lock allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-downloads allow-orientation-lock allow-presentation';
const TEXT = `console.log(${JSON.stringify('text '.repeat(2000))})`;
const WASM = Buffer.concat([
  Buffer.from([0, 97, 115, 109, 1, 0, 0, 0]),
  Buffer.from([0, 3, 2, 120, 120]),
]);
const BIG = Buffer.from(Array.from({ length: 1_500_000 }, (_, i) => (i * 31 + (i >> 7)) & 255));

const FILES = {
  'index.html': '<!doctype html><title>Play</title>',
  'game.js': TEXT,
  'm.mjs': 'export {}',
  'data.json': '{"a":1}',
  'app.webmanifest': '{}',
  'style.css': 'a{}',
  'code.wasm': WASM,
  'model.glb': Buffer.from('glTF\x02\0\0\0'),
  'tex.ktx2': Buffer.from('«KTX 20»\r\n\x1a\n', 'latin1'),
  'sound.mp3': Buffer.from('ID3'),
  'font.woff2': Buffer.from('wOF2'),
  noext: 'x',
  'thing.pck': 'x',
  'assets/index-DkZ3xQ9p.js': 'hashed()',
  'Folder/Name with space.txt': 'spaced',
  'Folder/ünï.txt': 'uni',
  'build.wasm.br': zlib.brotliCompressSync(WASM),
  'build.data.gz': zlib.gzipSync(Buffer.from('data '.repeat(100))),
  'big.bin': BIG,
  'empty.txt': '',
  '.hidden': 'secret',
  '.git/config': 'secret',
};

let platform: OpenPlatform;
let ada: Person;
let slug = '';
let id = '';
let now = Date.now();
before(async () => {
  platform = await openPlatform({ now: () => now });
  ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Player One' } });
  ({ slug, id } = game);
  await publishBuild(ada.client, id, '1', FILES);
});
after(() => platform[Symbol.asyncDispose]());

const raw = (
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<RawResponse> => requestRaw({ port: platform.running.port, path, headers, method });

const at = (path: string): string => `/play/${slug}/${path}`;

function assertPolicy(answer: RawResponse, coep = 'credentialless'): void {
  const { headers } = answer;
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('access-control-allow-origin'), '*');
  assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
  assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
  assert.equal(headers.get('cross-origin-embedder-policy'), coep);
  assert.equal(headers.get('document-isolation-policy'), `isolate-and-${coep}`);
  assert.equal(headers.get('origin-agent-cluster'), '?1');
  const csp = `frame-ancestors http://127.0.0.1:8788 'self'; ${SANDBOX}`;
  assert.equal(headers.get('content-security-policy'), csp);
  const permissions = headers.get('permissions-policy') ?? '';
  for (const feature of ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'serial']) {
    assert.ok(permissions.includes(`${feature}=()`), feature);
  }
  for (const feature of ['bluetooth', 'hid', 'display-capture']) {
    assert.ok(permissions.includes(`${feature}=()`), feature);
  }
  assert.doesNotMatch(permissions, /gamepad|fullscreen|autoplay/);
  assert.equal(headers.has('set-cookie'), false);
  assert.ok(headers.get('x-request-id'));
}

test('the root and /play/:slug answer index.html', async () => {
  for (const path of [at(''), `/play/${slug}`, at('index.html'), `${at('')}?query=1`]) {
    const answer = await raw(path);
    assert.equal(answer.status, 200, path);
    assert.equal(answer.body.toString(), FILES['index.html']);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
    assert.equal(answer.headers.get('cache-control'), 'no-cache');
    assert.equal(answer.headers.get('vary'), 'Accept-Encoding');
    assertPolicy(answer);
  }
});

test('a browser that navigates without the slash is redirected to it', async () => {
  const answer = await raw(`/play/${slug}?a=1`, { 'Sec-Fetch-Mode': 'navigate' });
  assert.equal(answer.status, 302);
  assert.equal(answer.headers.get('location'), `/play/${slug}/?a=1`);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(answer.headers.get('vary'), 'Sec-Fetch-Mode');
  assertPolicy(answer);
  assert.equal((await raw('/play/nothing', { 'Sec-Fetch-Mode': 'navigate' })).status, 404);
  assert.equal((await raw(at(''), { 'Sec-Fetch-Mode': 'navigate' })).status, 200);
});

test('every file has its type and the policy headers', async () => {
  const types: [string, RegExp][] = [
    ['game.js', /^text\/javascript/],
    ['m.mjs', /^text\/javascript/],
    ['data.json', /^application\/json/],
    ['app.webmanifest', /^application\/manifest\+json/],
    ['style.css', /^text\/css/],
    ['code.wasm', /^application\/wasm$/],
    ['model.glb', /^model\/gltf-binary$/],
    ['tex.ktx2', /^image\/ktx2$/],
    ['sound.mp3', /^audio\/mpeg$/],
    ['font.woff2', /^font\/woff2$/],
    ['noext', /^application\/octet-stream$/],
    ['thing.pck', /^application\/octet-stream$/],
  ];
  for (const [path, type] of types) {
    const answer = await raw(at(path));
    assert.equal(answer.status, 200, path);
    assert.match(answer.headers.get('content-type') ?? '', type, path);
    assertPolicy(answer);
  }
});

test('names are exact, folders and dot files are 404, and every 404 is the same', async () => {
  await ada.client.call('createProject', { body: { title: 'Only a draft', slug: 'only-a-draft' } });
  const missing = [
    at('nothing.js'),
    at('GAME.js'),
    at('game'),
    at('assets'),
    at('assets/'),
    at('Folder/Name'),
    at('.hidden'),
    at('.git/config'),
    at('%2ehidden'),
    at('assets/../game.js'),
    at('assets/%2e%2e/game.js'),
    at('..%2f..%2fplatform.sqlite'),
    at('%'),
    at('%ff'),
    at('a%00b'),
    at('Folder%2FName%20with%20space.txt'),
    at('Folder%2fName%20with%20space.txt'),
    at('//game.js'),
    '/play/only-a-draft/',
    '/play/no-such-game/',
    '/play/No-Such/',
    '/play/',
    '/play//x',
  ];
  const bodies = new Set<string>();
  for (const path of missing) {
    const answer = await raw(path);
    assert.equal(answer.status, 404, path);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assertPolicy(answer);
    bodies.add(answer.body.toString());
  }
  assert.equal(bodies.size, 1);
  assert.equal(JSON.parse([...bodies][0] ?? '').error.code, 'not_found');
  assert.equal((await raw(at('Folder/Name%20with%20space.txt'))).body.toString(), 'spaced');
  assert.equal((await raw(at('Folder/%C3%BCn%C3%AF.txt'))).body.toString(), 'uni');
});

test('HEAD is GET without the body, other methods are 405', async () => {
  for (const path of ['game.js', 'big.bin', 'empty.txt', 'build.wasm.br']) {
    for (const encoding of ['', 'gzip', 'br']) {
      const headers: Record<string, string> =
        encoding === '' ? {} : { 'Accept-Encoding': encoding };
      const get = await raw(at(path), headers);
      const head = await raw(at(path), headers, 'HEAD');
      assert.equal(head.status, 200);
      assert.equal(head.body.length, 0);
      for (const name of ['content-length', 'etag', 'content-type', 'content-encoding']) {
        assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`);
      }
      assert.equal(Number(get.headers.get('content-length')), get.body.length);
    }
  }
  assert.equal((await raw(at('nothing'), {}, 'HEAD')).status, 404);
  const posted = await fetch(`${platform.baseUrl}${at('')}`, { method: 'POST', body: 'x' });
  assert.equal(posted.headers.get('allow'), 'GET, HEAD');
  assert.equal(await readErrorCode(posted), 'method_not_allowed');
});

test('text is negotiated: brotli, gzip or plain, each with a tag of its own', async () => {
  const tags = new Set<string>();
  const cases: [string, string | undefined][] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0.1, gzip', 'gzip'],
    ['br;q=0', undefined],
    ['identity', undefined],
    ['identity;q=1, gzip;q=0.5, br;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
  ];
  for (const [accept, encoding] of cases) {
    const answer = await raw(at('game.js'), { 'Accept-Encoding': accept });
    assert.equal(answer.headers.get('content-encoding'), encoding, accept);
    assert.equal(answer.headers.get('vary'), 'Accept-Encoding');
    tags.add(answer.headers.get('etag') ?? '');
    const text =
      encoding === 'br'
        ? zlib.brotliDecompressSync(answer.body)
        : encoding === 'gzip'
          ? zlib.gunzipSync(answer.body)
          : answer.body;
    assert.equal(text.toString(), TEXT);
  }
  assert.equal(tags.size, 3);
});

test('precompressed files are sent unchanged, and decoded for clients that do not accept them', async () => {
  const cases: [string, string, string, Buffer, Buffer][] = [
    ['build.wasm.br', 'br', 'application/wasm', FILES['build.wasm.br'], WASM],
    [
      'build.data.gz',
      'gzip',
      'application/octet-stream',
      FILES['build.data.gz'],
      Buffer.from('data '.repeat(100)),
    ],
  ];
  for (const [path, encoding, type, packed, inner] of cases) {
    const taken = await raw(at(path), { 'Accept-Encoding': encoding });
    assert.equal(taken.headers.get('content-encoding'), encoding);
    assert.equal(taken.headers.get('content-type'), type);
    assert.deepEqual(taken.body, packed);
    const plain = await raw(at(path));
    assert.equal(plain.headers.has('content-encoding'), false);
    assert.equal(plain.headers.get('content-type'), type);
    assert.deepEqual(plain.body, inner);
    assert.notEqual(plain.headers.get('etag'), taken.headers.get('etag'));
    const part = await raw(at(path), { Range: 'bytes=2-5', 'Accept-Encoding': encoding });
    assert.equal(part.status, 206);
    assert.deepEqual(part.body, inner.subarray(2, 6));
  }
});

test('If-None-Match answers 304 with the policy and without a body', async () => {
  const first = await raw(at('game.js'), { 'Accept-Encoding': 'br' });
  const etag = first.headers.get('etag') ?? '';
  for (const value of [etag, `"x", W/${etag}`, '*']) {
    const answer = await raw(at('game.js'), { 'Accept-Encoding': 'br', 'If-None-Match': value });
    assert.equal(answer.status, 304, value);
    assert.equal(answer.body.length, 0);
    assert.equal(answer.headers.get('etag'), etag);
    assert.equal(answer.headers.get('cache-control'), first.headers.get('cache-control'));
    assertPolicy(answer);
  }
  const other = await raw(at('game.js'), { 'Accept-Encoding': 'gzip', 'If-None-Match': etag });
  assert.equal(other.status, 200);
});

test('one range is 206 of the plain form, outside of the file 416; several ranges are the whole file', async () => {
  const whole = await raw(at('big.bin'));
  assert.deepEqual(whole.body, BIG);
  assert.equal(whole.headers.get('accept-ranges'), 'bytes');
  const cases: [string, number, number][] = [
    ['bytes=0-1', 0, 2],
    ['bytes=1000000-1200000', 1_000_000, 200_001],
    ['bytes=-10', BIG.length - 10, 10],
    [`bytes=${BIG.length - 1}-`, BIG.length - 1, 1],
  ];
  for (const [range, start, length] of cases) {
    const answer = await raw(at('big.bin'), { Range: range });
    assert.equal(answer.status, 206, range);
    assert.deepEqual(answer.body, BIG.subarray(start, start + length));
    const said = `bytes ${start}-${start + length - 1}/${BIG.length}`;
    assert.equal(answer.headers.get('content-range'), said);
    assertPolicy(answer);
  }
  const outside = await raw(at('big.bin'), { Range: `bytes=${BIG.length}-` });
  assert.equal(outside.status, 416);
  assert.equal(outside.headers.get('content-range'), `bytes */${BIG.length}`);
  assert.equal(JSON.parse(outside.body.toString()).error.code, 'range_not_satisfiable');
  const known = { 'If-None-Match': whole.headers.get('etag') ?? '' };
  const notChanged = await raw(at('big.bin'), { Range: `bytes=${BIG.length}-`, ...known });
  assert.equal(notChanged.status, 304, 'If-None-Match is evaluated before Range');
  const several = await raw(at('big.bin'), { Range: 'bytes=0-1,4-5' });
  assert.equal(several.status, 200);
  assert.equal(several.body.length, BIG.length);
  const etag = whole.headers.get('etag') ?? '';
  const fits = await raw(at('big.bin'), { Range: 'bytes=0-1', 'If-Range': etag });
  assert.equal(fits.status, 206);
  const old = await raw(at('big.bin'), { Range: 'bytes=0-1', 'If-Range': '"old"' });
  assert.equal(old.status, 200);
});

test('names with a content hash are immutable for a year, the rest is revalidated', async () => {
  const hashed = await raw(at('assets/index-DkZ3xQ9p.js'));
  assert.equal(hashed.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  const plain = await raw(at('game.js'));
  assert.equal(plain.headers.get('cache-control'), 'public, max-age=0, must-revalidate');
});

test('hashed files of a replaced release stay for seven days, and not after unpublish', async () => {
  const { game } = await ada.client.call('createProject', { body: { title: 'Grace' } });
  const old = 'assets/index-DkZ3xQ9p.js';
  const get = async (path: string) => (await raw(`/play/${game.slug}/${path}`)).status;
  const first = { 'index.html': 'one', [old]: 'old()', 'plain.js': 'x' };
  await publishBuild(ada.client, game.id, '1', first);
  await publishBuild(ada.client, game.id, '2', { 'index.html': 'two' });
  assert.equal(await get('plain.js'), 404);
  assert.equal(await get(old), 200);
  const start = now;
  now = start + 7 * 24 * 3600 * 1000 - 1000;
  assert.equal(await get(old), 200);
  now = start + 7 * 24 * 3600 * 1000 + 1000;
  assert.equal(await get(old), 404);
  now = start;
  assert.equal(await get(old), 200);
  await ada.client.call('unpublish', { params: { id: game.id } });
  await publishBuild(ada.client, game.id, '3', { 'index.html': 'three' });
  assert.equal(await get(old), 404);
  await ada.client.call('rollback', { params: { id: game.id }, body: { version: '1' } });
  assert.equal(await get(old), 200);
  await publishBuild(ada.client, game.id, '4', { 'index.html': 'four' });
  assert.equal(await get(old), 200);
  await ada.client.call('rollback', { params: { id: game.id }, body: { version: '3' } });
  assert.equal(await get(old), 404);
});

test('the owner’s isolation setting overrides the one found in the build', async () => {
  const params = { id };
  const set = async (isolation: string | null): Promise<void> => {
    const form = new FormData();
    form.set('metadata', JSON.stringify({ isolation }));
    await ada.client.call('updateStore', { params, form });
  };
  await set('require-corp');
  assertPolicy(await raw(at('game.js')), 'require-corp');
  await set('none');
  const none = await raw(at('game.js'));
  assert.equal(none.headers.get('cross-origin-embedder-policy'), 'unsafe-none');
  assert.equal(none.headers.get('document-isolation-policy'), 'none');
  await set(null);
  assertPolicy(await raw(at('game.js')));
});

test('the owner’s setting allows profiling at once, on pages only, and a cached page is sent again', async () => {
  const { game } = await ada.client.call('createProject', { body: { title: 'Profiled' } });
  await publishBuild(ada.client, game.id, '1', { 'index.html': 'page', 'game.js': 'script' });
  const policyOf = async (path: string, etag = '') => {
    const answer = await raw(`/play/${game.slug}/${path}`, { 'If-None-Match': etag });
    const { status, headers } = answer;
    const found = ['document-policy', 'server-timing'].map((name) => headers.get(name) ?? null);
    return { found, status, etag: headers.get('etag') ?? '' };
  };
  const set = async (profiling: boolean | null): Promise<void> => {
    const form = new FormData();
    form.set('metadata', JSON.stringify({ profiling }));
    await ada.client.call('updateStore', { params: { id: game.id }, form });
  };
  let { etag, found } = await policyOf('');
  assert.deepEqual(found, [null, null], 'it is off by default');
  for (const profiling of [true, null, true, false]) {
    await set(profiling);
    const changed = await policyOf('', etag);
    const expected = profiling === true ? 'js-profiling' : null;
    assert.deepEqual([changed.status, changed.found], [200, [expected, expected]]);
    etag = changed.etag;
    assert.deepEqual(await policyOf('', etag), { ...changed, status: 304 });
    assert.deepEqual((await policyOf('game.js')).found, [null, null]);
  }
});

test('a client that repeats a request gets a new release at once', async () => {
  const { game } = await ada.client.call('createProject', { body: { title: 'Fresh' } });
  for (let round = 0; round < 5; round++) {
    await publishBuild(ada.client, game.id, `${round}`, { 'index.html': `round ${round}` });
    for (let again = 0; again < 3; again++) {
      const answer = await raw(`/play/${game.slug}/`);
      assert.equal(answer.body.toString(), `round ${round}`);
    }
  }
});
