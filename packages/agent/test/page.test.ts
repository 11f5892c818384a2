// The viewer's files: each with its type, under its own path.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readViewer } from '../src/page/page-routes.ts';
import {
  agentOptions,
  ask,
  startTestAgent,
  temporaryFolder,
  tryToStart,
  writeViewer,
} from './harness.ts';

test('every file of the viewer is served with its type, byte for byte, and with the policy of the page', async () => {
  using folder = temporaryFolder();
  const viewerDir = writeViewer(folder.path);
  mkdirSync(join(viewerDir, 'assets', 'deep'));
  const files: [string, string][] = [
    ['assets/a.css', 'text/css; charset=utf-8'],
    ['assets/a.ico', 'image/x-icon'],
    ['assets/a.json', 'application/json; charset=utf-8'],
    ['assets/a.js.map', 'application/json; charset=utf-8'],
    ['assets/a.mjs', 'text/javascript; charset=utf-8'],
    ['assets/a.png', 'image/png'],
    ['assets/a.svg', 'image/svg+xml'],
    ['assets/a.txt', 'text/plain; charset=utf-8'],
    ['assets/a.wasm', 'application/wasm'],
    ['assets/a.webmanifest', 'application/manifest+json'],
    ['assets/deep/a.woff2', 'font/woff2'],
    ['assets/unknown', 'application/octet-stream'],
    ['a:b.txt', 'text/plain; charset=utf-8'],
  ];
  for (const [name] of files) writeFileSync(join(viewerDir, name), `"of ${name}"`);
  await using running = await startTestAgent({ viewer: () => readViewer(viewerDir) });
  const page = await ask(running, 'GET', '/', { token: null });
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  for (const [name, type] of files) {
    const { status, headers, text } = await ask(running, 'GET', `/${name}`, { token: null });
    assert.deepEqual([status, headers['content-type'], text], [200, type, `"of ${name}"`]);
    assert.equal(headers['content-security-policy'], page.headers['content-security-policy']);
  }
  assert.equal((await ask(running, 'GET', '/index.html', { token: null })).text, page.text);
  for (const path of ['/assets', '/assets/deep', '/assets/deep/', '/aXb.txt', '/assets/none.js']) {
    assert.equal((await ask(running, 'GET', path, { token: null })).code, 'not_found', path);
  }
});

test('a viewer without index.html is refused', async () => {
  using folder = temporaryFolder();
  const viewerDir = join(folder.path, 'empty');
  mkdirSync(join(viewerDir, 'index.html'), { recursive: true });
  const options = { ...agentOptions(folder.path), viewer: () => readViewer(viewerDir) };
  const message = /it has no index\.html$/;
  await assert.rejects(tryToStart(options), { code: 'viewer_missing', message });
});
