// Serving files: large files, ranges, files that the disk lost, and open file handles.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  globSync,
  readdirSync,
  readlinkSync,
  statSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import zlib from 'node:zlib';
import { createPlatformClient } from '@svc/contracts/platform';
import { logTo } from '@svc/observe/testing';
import { connectBounded } from '../../../scripts/connect-bounded.ts';
import { until } from '../../../scripts/until.ts';
import { readSettings } from '../src/index.ts';
import { readErrorCode } from './expect-error.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { signIn } from './sign-in.ts';
import { moreThanSocketBuffers } from './socket-buffers.ts';

/** Larger than the server caches, and several chunks long. */
const PLAIN = randomBytes(1_500_000);
const PACKED = randomBytes(1_300_000);
const FILES = {
  'index.html': 'page',
  'small.txt': 'small',
  'plain.bin': PLAIN,
  'packed.data.gz': zlib.gzipSync(PACKED, { level: 1 }),
  'packed.data.br': zlib.brotliCompressSync(PACKED, {
    params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
  }),
};

let platform: OpenPlatform;
let ada: Person;
let slug = '';
const lines: string[] = [];
before(async () => {
  platform = await openPlatform({ log: logTo((line) => lines.push(line)) });
  ada = await platform.person('Ada');
  slug = (await publishGame(FILES)).slug;
});
after(() => platform[Symbol.asyncDispose]());

async function publishGame(files: Record<string, string | Uint8Array>) {
  const { game } = await ada.client.call('createProject', { body: { title: 'Files' } });
  await publishBuild(ada.client, game.id, '1', files);
  return game;
}

/** A fetch with a time limit. `identity` prevents its own Accept-Encoding. */
function ask(address: string, headers: Record<string, string> = {}, method = 'GET') {
  const signal = AbortSignal.timeout(20_000);
  return fetch(address, { method, headers: { 'accept-encoding': 'identity', ...headers }, signal });
}

function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return ask(`${platform.baseUrl}/play/${slug}/${path}`, headers, method);
}

test('a large precompressed file is sent decoded, whole and in parts, byte for byte', async () => {
  for (const path of ['packed.data.gz', 'packed.data.br']) {
    const whole = await get(path);
    assert.equal(whole.headers.get('content-encoding'), null);
    assert.equal(whole.headers.get('content-length'), String(PACKED.length));
    assert.ok(PACKED.equals(Buffer.from(await whole.arrayBuffer())), path);
    const last = PACKED.length - 1;
    for (const [start, end] of [
      [0, 0],
      [0, last],
      [1, 16_383],
      [16_383, 16_384],
      [300_000, 700_000],
      [last - 70_000, last],
      [last, last],
    ] as const) {
      const answer = await get(path, { range: `bytes=${start}-${end}` });
      assert.equal(answer.status, 206);
      const reported = `bytes ${start}-${end}/${PACKED.length}`;
      assert.equal(answer.headers.get('content-range'), reported);
      assert.equal(answer.headers.get('content-length'), String(end - start + 1));
      const bytes = Buffer.from(await answer.arrayBuffer());
      assert.ok(PACKED.subarray(start, end + 1).equals(bytes), `${path} ${start}-${end}`);
    }
    // A client that counts bytes would not notice bytes after a part.
    const socket = connectBounded(platform.running.port);
    const head = 'Host: x\r\nRange: bytes=5-14\r\nConnection: close';
    socket.write(`GET /play/${slug}/${path} HTTP/1.1\r\n${head}\r\n\r\n`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    const all = Buffer.concat(chunks);
    const body = all.subarray(all.indexOf('\r\n\r\n') + 4);
    assert.deepEqual(body, PACKED.subarray(5, 15), path);
  }
});

test('HEAD ignores a range and describes the whole file', async () => {
  for (const path of ['small.txt', 'plain.bin', 'packed.data.gz']) {
    const expected = await get(path, {}, 'HEAD');
    assert.equal(expected.status, 200);
    for (const range of ['bytes=1-2', 'bytes=99999999-']) {
      const answer = await get(path, { range }, 'HEAD');
      assert.equal(answer.status, 200, `${path} ${range}`);
      for (const name of ['content-length', 'content-range', 'etag']) {
        assert.equal(answer.headers.get(name), expected.headers.get(name), `${path} ${name}`);
      }
    }
  }
});

test('a file that is missing on the disk is 404, also if it was requested before', async () => {
  const path = 'gone.bin';
  const game = await publishGame({ ...FILES, [path]: randomBytes(1_200_000) });
  const again = () => ask(`${platform.baseUrl}/play/${game.slug}/${path}`);
  await (await again()).arrayBuffer();
  removeFile(game.id, 1_200_000);
  for (let times = 0; times < 2; times++) {
    assert.equal(await readErrorCode(await again()), 'not_found');
  }
  const never = await publishGame({ ...FILES, [path]: randomBytes(1_200_000) });
  removeFile(never.id, 1_200_000);
  const first = await ask(`${platform.baseUrl}/play/${never.slug}/${path}`);
  assert.equal(await readErrorCode(first), 'not_found');
  assert.deepEqual(
    lines.filter((line) => line.startsWith('internal')),
    [],
  );
});

test('a file that has become shorter is never sent as a complete file, and an error is logged', async () => {
  const game = await publishGame({ ...FILES, 'cut.txt': randomBytes(2000), 'cut.bin': PLAIN });
  for (const [bytes, name] of [
    [2000, 'cut.txt'],
    [PLAIN.length, 'cut.bin'],
  ] as const) {
    for (const file of filesOf(game.id)) if (file.bytes === bytes) truncateSync(file.path, 1000);
    const address = `${platform.baseUrl}/play/${game.slug}/${name}`;
    const outcome = await ask(address)
      .then(async (answer) => [answer.status, (await answer.arrayBuffer()).byteLength])
      .catch(() => 'broken off');
    const reported = lines
      .splice(0)
      .filter((line) => line.startsWith('internal: a request for play failed: '));
    assert.equal(reported.length, 1, `${name}: ${JSON.stringify(outcome)}`);
    if (name === 'cut.bin') assert.equal(outcome, 'broken off');
    else assert.equal(await readErrorCode(await ask(address)), 'internal');
    lines.splice(0);
  }
});

const canLook = existsSync('/proc/self/fd');

test('no file stays open after it was sent, sent in part or rejected, or its client disconnected', {
  skip: !canLook && 'needs /proc',
}, async () => {
  const build = `${platform.baseUrl}/projects`;
  const authorization = `Bearer ${ada.idToken}`;
  const game = await publishGame(FILES);
  const asks: [address: string, headers: Record<string, string>, method: string][] = [];
  for (const path of ['small.txt', 'plain.bin', 'packed.data.gz', 'packed.data.br', 'none']) {
    const address = `${platform.baseUrl}/play/${game.slug}/${path}`;
    asks.push(
      [address, {}, 'GET'],
      [address, {}, 'HEAD'],
      [address, { range: 'bytes=0-9' }, 'GET'],
    );
  }
  const zip = `${build}/${game.id}/releases/1/build`;
  asks.push([zip, { authorization }, 'GET'], [zip, { authorization }, 'HEAD']);
  for (const [address, more, method] of asks) {
    const answer = await ask(address, more, method);
    assert.ok(answer.status < 300 || address.endsWith('none'), address);
    await answer.arrayBuffer();
    const headers = { 'accept-encoding': 'identity', ...more };
    const leaving = new AbortController();
    await fetch(address, { method, headers, signal: leaving.signal }).then(
      () => leaving.abort(),
      () => {},
    );
  }
  await until(openFiles, (open) => open.length === 0, 'all files are closed', 30_000);
});

test('a client that receives nothing for a minute is disconnected, and its file is closed', {
  skip: !canLook && 'needs /proc',
}, async (t) => {
  const bytes = moreThanSocketBuffers();
  const game = await publishGame({ 'index.html': 'x', 'huge.bin': randomBytes(bytes) });
  const asked: number[] = [];
  const { setTimeout } = ServerResponse.prototype;
  t.mock.method(
    ServerResponse.prototype,
    'setTimeout',
    function (this: ServerResponse, ms: number, callback?: () => void) {
      asked.push(ms);
      return setTimeout.call(this, 300, callback);
    },
  );
  const socket = connectBounded(platform.running.port);
  socket.write(`GET /play/${game.slug}/huge.bin HTTP/1.1\r\nHost: x\r\n\r\n`);
  await until(
    () => asked.length,
    (times) => times > 0,
    'the answer has begun',
  );
  await until(openFiles, (open) => open.length === 0, 'its file is closed', 30_000);
  assert.deepEqual(asked, [60_000]);
  let came = 0;
  for await (const chunk of socket.on('error', () => {})) came += chunk.length;
  assert.ok(came < bytes, 'the rest was not sent');
});

test('with a path in SVC_PUBLIC_URL, the redirect to the slash contains it', async () => {
  const settings = readSettings({ SVC_PUBLIC_URL: 'http://api.example/base/path/' });
  await using below = await openPlatform({ settings });
  const baseUrl = `http://127.0.0.1:${below.running.port}`;
  const idToken = await signIn(below.running.issuer, below.running.clientId, 'Ada');
  const client = createPlatformClient({ baseUrl, send: fetch, credential: () => idToken });
  await client.call('openSession', { body: { id_token: idToken, role: 'developer' } });
  const { game } = await client.call('createProject', { body: { title: 'Below' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'below' });
  // fetch sets a mode of its own.
  const socket = connectBounded(below.running.port);
  const head = 'Host: x\r\nSec-Fetch-Mode: navigate\r\nConnection: close';
  socket.write(`GET /play/below?a=1&b=? HTTP/1.1\r\n${head}\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  assert.match(text, /^HTTP\/1\.1 302 /);
  assert.match(text, /\r\nLocation: \/base\/path\/play\/below\/\?a=1&b=\?\r\n/);
});

/** The stored contents of a project with their sizes. */
function filesOf(id: string) {
  const folder = join(platform.dataDir, 'projects', id);
  return globSync(`${folder}/*/*`)
    .filter((path) => !path.endsWith('build.zip'))
    .map((path) => ({ path, bytes: statSync(path).size }));
}

function removeFile(id: string, size: number): void {
  const [file, ...others] = filesOf(id).filter(({ bytes }) => bytes === size);
  assert.ok(file !== undefined && others.length === 0);
  unlinkSync(file.path);
}

/** Files of projects that this process has open. */
function openFiles(): string[] {
  const projects = join(platform.dataDir, 'projects');
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const target = readlinkSync(join('/proc/self/fd', name));
      return target.startsWith(projects) ? [target] : [];
    } catch {
      return [];
    }
  });
}
