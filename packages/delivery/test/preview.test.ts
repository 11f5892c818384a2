// The life of a preview: who can read it, what it reports, and what remains after it.
import assert from 'node:assert/strict';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BuildError, packToFile } from '@svc/game-build';
import { type PreviewOptions, startPreview } from '../src/preview/start-preview.ts';

const SYSTEM_FOLDER = tmpdir();
const TEXT = 'text '.repeat(100_000);

/** A ZIP of a small game. `TMPDIR` is an empty folder until the test ends. */
async function zipOf(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = mkdtempSync(join(SYSTEM_FOLDER, 'svc-delivery-'));
  t.after(() => {
    process.env['TMPDIR'] = SYSTEM_FOLDER;
    rmSync(folder, { recursive: true, force: true });
  });
  const build = mkdtempSync(join(folder, 'build-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(build, name), text);
  const zip = join(folder, 'build.zip');
  await packToFile(build, zip);
  process.env['TMPDIR'] = mkdtempSync(join(folder, 'tmp-'));
  return zip;
}

const leftBehind = (): string[] => readdirSync(tmpdir());

async function start(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  options: Partial<PreviewOptions> = {},
) {
  const zipPath = await zipOf(t, { 'index.html': '<title>x</title>', ...files });
  const preview = await startPreview({ zipPath, port: 0, ...options });
  t.after(() => preview[Symbol.asyncDispose]());
  return preview;
}

test('only who knows the whole address can read the build', async (t) => {
  const { url } = await start(t, {});
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/play\/[0-9a-f]{20}\/$/);
  assert.equal((await fetch(url)).status, 200);
  const others = ['/', '/index.html', '/play/', '/play/index.html', `/play/${'0'.repeat(20)}/`];
  for (const path of [...others, `${new URL(url).pathname.slice(0, -1)}x/index.html`]) {
    const answer = await fetch(new URL(path, url));
    assert.equal(answer.status, 404, path);
    assert.match(await answer.text(), /no game at this address/);
  }
  const again = await start(t, {});
  assert.notEqual(new URL(again.url).pathname, new URL(url).pathname);
});

test('missing files of the game are reported by their path, other addresses are not', async (t) => {
  const missing: string[] = [];
  const { url } = await start(t, {}, { onMissing: (path) => missing.push(path) });
  for (const path of ['a/b%20c.png?d', '%ff', 'index.html', '../../favicon.ico']) {
    await fetch(new URL(path, url));
  }
  assert.deepEqual(missing, ['a/b c.png', '%ff']);
});

test('a file that many request at once is compressed and sent to all of them', async (t) => {
  const { url } = await start(t, { 'a.js': `// ${TEXT}` });
  const headers = { 'Accept-Encoding': 'br' };
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => fetch(new URL('a.js', url), { headers })),
  );
  for (const answer of answers) {
    assert.equal(answer.headers.get('content-encoding'), 'br');
    assert.equal(await answer.text(), `// ${TEXT}`);
  }
});

test('a preview leaves no file behind, not even while it runs', async (t) => {
  const preview = await start(t, { 'a.js': TEXT });
  assert.equal((await fetch(new URL('a.js', preview.url))).status, 200);
  assert.deepEqual(leftBehind(), []);
  assert.equal(openContents().length, 1);
  await preview[Symbol.asyncDispose]();
  await assert.rejects(fetch(preview.url));
  assert.deepEqual(openContents(), []);
});

/** The unnamed files of previews that this process holds open. */
function openContents(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.includes('/svc-preview-') ? [target] : [];
    } catch {
      // The file that lists the folder is closed by now.
      return [];
    }
  });
}

test('the end does not wait for clients that stay connected or receive nothing', async (t) => {
  const preview = await start(t, { 'big.bin': 'x'.repeat(8_000_000) });
  const { port, pathname } = new URL(preview.url);
  const socket = connect(Number(port), '127.0.0.1');
  t.after(() => socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  socket.write(`GET ${pathname}big.bin HTTP/1.1\r\nHost: x\r\n\r\n`);
  await new Promise((resolve) => socket.once('readable', resolve));
  await preview[Symbol.asyncDispose]();
  socket.resume();
  await closed;
});

test('a rejected build and an aborted start leave nothing behind', async (t) => {
  const zipPath = await zipOf(t, { 'index.html': 'x', 'a.js': TEXT });
  await assert.rejects(startPreview({ zipPath, port: 0, limits: { files: 1 } }), BuildError);
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(startPreview({ zipPath, port: 0, signal }), /enough/);
  writeFileSync(zipPath, readFileSync(zipPath).subarray(0, 100));
  await assert.rejects(startPreview({ zipPath, port: 0 }), BuildError);
  await assert.rejects(startPreview({ zipPath: `${zipPath}x`, port: 0 }), { code: 'ENOENT' });
  assert.deepEqual([leftBehind(), openContents()], [[], []]);
});

test('a port in use is an error, and the contents are freed', async (t) => {
  const server = createServer();
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const zipPath = await zipOf(t, { 'index.html': 'x' });
  await assert.rejects(startPreview({ zipPath, port }), { code: 'EADDRINUSE' });
  assert.deepEqual([leftBehind(), openContents()], [[], []]);
});
