// A preview on a developer's machine answers as the platform does after a publish of the same build.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import zlib from 'node:zlib';
import { type Preview, startPreview } from '@svc/delivery/preview';
import { makeZip } from './make-zip.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { type RawResponse, requestRaw } from './raw-request.ts';

const TEXT = `console.log(${JSON.stringify('text '.repeat(2000))})`;
const NOISE = Buffer.from(Array.from({ length: 1_500_000 }, (_, i) => (i * 31 + (i >> 7)) & 255));
const MODULE = Buffer.from([0, 97, 115, 109, 1, 0, 0, 0, 0, 3, 2, 120, 120]);

const FILES: Readonly<Record<string, string | Buffer>> = {
  'index.html': `<!doctype html><title>Play</title>${'<p>text</p>'.repeat(100)}`,
  'game.js': TEXT,
  // A second name for the same content, and a content hash in the name.
  'assets/index-DkZ3xQ9p.js': TEXT,
  'long.txt': 'long text '.repeat(600_000),
  'code.wasm': MODULE,
  'build.wasm.br': zlib.brotliCompressSync(MODULE),
  'build.data.gz': zlib.gzipSync(Buffer.from('data '.repeat(100_000))),
  'noise.bin': NOISE,
  'noise.json': JSON.stringify([...NOISE.subarray(0, 400)]),
  // Of a type that is compressed, but compressing it saves nothing.
  'noise.wasm': Buffer.concat([MODULE, randomBytes(200_000)]),
  'empty.txt': '',
  'small.css': 'a{}',
  'Folder/ünï ö.txt': 'uni',
  'thing.pck': 'x',
};

let platform: OpenPlatform;
/** The same build without and with profiling: its preview, and the path on the platform. */
const games: { readonly preview: Preview; readonly published: string }[] = [];
before(async () => {
  platform = await openPlatform();
  const ada = await platform.person('Ada');
  const folder = await mkdtemp(join(tmpdir(), 'svc-preview-test-'));
  try {
    const zipPath = join(folder, 'build.zip');
    await writeFile(zipPath, makeZip(FILES));
    for (const profiling of [false, true]) {
      const title = `Player ${profiling}`;
      const { game } = await ada.client.call('createProject', { body: { title } });
      await publishBuild(ada.client, game.id, '1', FILES);
      const form = new FormData();
      form.set('metadata', JSON.stringify({ profiling }));
      await ada.client.call('updateStore', { params: { id: game.id }, form });
      const preview = await startPreview({ zipPath, port: 0, profiling });
      games.push({ preview, published: `/play/${game.slug}/` });
    }
  } finally {
    // The preview does not need the ZIP any more.
    await rm(folder, { recursive: true });
  }
});
after(async () => {
  for (const { preview } of games) await preview[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});

type Asked = { readonly headers?: Readonly<Record<string, string>>; readonly method?: string };

/** The responses of both to the same request. The header that must differ is compared here. */
async function both(
  { preview, published }: (typeof games)[number],
  path: string,
  asked: Asked,
): Promise<[RawResponse, RawResponse]> {
  const url = new URL(preview.url);
  const answers = await Promise.all([
    requestRaw({ port: platform.running.port, path: `${published}${path}`, ...asked }),
    requestRaw({ port: Number(url.port), path: `${url.pathname}${path}`, ...asked }),
  ]);
  const [theirs, ours] = answers;
  const policy = (answer: RawResponse): string =>
    answer.headers.get('content-security-policy') ?? '';
  assert.equal(policy(ours), policy(theirs).replace("http://127.0.0.1:8788 'self'", "'self'"));
  assert.match(policy(ours), /^frame-ancestors 'self'; sandbox /);
  return answers;
}

/** A response without what differs in each: the id, the time, and the allowed frames. */
function comparable({ status, headers, body }: RawResponse) {
  const own = ['x-request-id', 'date', 'content-security-policy'];
  return { status, headers: [...headers].filter(([name]) => !own.includes(name)), body };
}

const ASKED: readonly Asked[] = [
  {},
  { headers: { 'Accept-Encoding': 'gzip, deflate, br, zstd' } },
  { headers: { 'Accept-Encoding': 'gzip' } },
  { headers: { 'Accept-Encoding': 'br;q=0.1, identity' } },
  { headers: { Range: 'bytes=10-19' } },
  { headers: { Range: 'bytes=99999999-', 'Accept-Encoding': 'br' } },
  { headers: { 'If-None-Match': '*' } },
  { headers: { 'Sec-Fetch-Mode': 'navigate' } },
  { method: 'HEAD', headers: { 'Accept-Encoding': 'br' } },
  { method: 'POST' },
  { method: 'OPTIONS', headers: { Origin: 'https://other.example' } },
];

test('every file has the same headers and the same bytes as after a publish', async () => {
  const others = ['missing.js', 'Folder/', 'index.html?a=1', 'game.js?v=2', '.hidden', 'x/.git'];
  const raw = ['', 'Folder%2F%C3%BCn%C3%AF%20%C3%B6.txt', '%', '%00', '..%2findex.html', '//a'];
  const seen = new Map<number, number>();
  const profiled = new Set<string>();
  for (const [index, game] of games.entries()) {
    for (const path of [...[...Object.keys(FILES), ...others].map(encodeURI), ...raw]) {
      for (const asked of ASKED) {
        const [theirs, ours] = await both(game, path, asked);
        assert.deepEqual(comparable(ours), comparable(theirs), `${path} ${JSON.stringify(asked)}`);
        seen.set(ours.status, (seen.get(ours.status) ?? 0) + 1);
        if (ours.headers.has('document-policy')) profiled.add(`${index} ${path}`);
      }
    }
  }
  assert.deepEqual([...profiled], ['1 index.html', '1 index.html?a=1', '1 ']);
  // Each kind of response has been compared.
  for (const status of [200, 206, 304, 404, 405, 416]) assert.ok((seen.get(status) ?? 0) > 3);
});

test('the address without the slash is redirected as after a publish', async () => {
  const [{ preview, published } = assert.fail()] = games;
  const url = new URL(preview.url);
  const bare = url.pathname.slice(0, -1);
  const headers = { 'Sec-Fetch-Mode': 'navigate' };
  for (const query of ['', '?a=b']) {
    const path = `${published.slice(0, -1)}${query}`;
    const theirs = await requestRaw({ port: platform.running.port, path, headers });
    const ours = await requestRaw({ port: Number(url.port), path: `${bare}${query}`, headers });
    assert.equal(theirs.headers.get('location'), `${published}${query}`);
    assert.equal(ours.headers.get('location'), `${bare}/${query}`);
    const without = (answer: RawResponse) =>
      comparable(answer).headers.filter(([name]) => name !== 'location');
    assert.deepEqual([ours.status, without(ours)], [theirs.status, without(theirs)]);
  }
});
