// The parts of a configuration for nginx that other pages of the guide show.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { guideBlock } from '../operate/code-blocks.ts';
import { replaceTexts } from './replace-texts.ts';
import { startBack } from './start-back.ts';
import { nginxMissing, startNginxWith } from './start-nginx.ts';
import { findFreePorts } from './start-program.ts';

const skip = nginxMissing() ?? false;

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-snippet-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('the rule for assets in store.md asks the other process for an asset that one lacks', {
  skip,
}, async (t) => {
  const [port = 0, a = 0, b = 0] = await findFreePorts(3);
  const store = [await startBack(t, a), await startBack(t, b)] as const;
  store[0].handle = (_, response) => response.writeHead(404).end();
  const backs = `upstream store { server 127.0.0.1:${a}; server 127.0.0.1:${b}; }`;
  const servers = `${backs} server { listen 127.0.0.1:${port}; ${guideBlock('store.md', 'nginx')} }`;
  const nginx = await startNginxWith(newFolder(t), servers, port);
  t.after(() => nginx[Symbol.asyncDispose]());
  for (let count = 0; count < 4; count++) {
    const answer = await fetch(`http://127.0.0.1:${port}/assets/style.css`);
    assert.equal(await answer.text(), String(b));
  }
});

test('the location in viewer.md serves the viewer with its types and headers', {
  skip,
}, async (t) => {
  const [port = 0] = await findFreePorts(1);
  const folder = newFolder(t);
  const site = join(folder, 'svc-viewer');
  mkdirSync(site);
  for (const name of ['index.html', 'app.js', 'style.css', 'icon.svg', 'site.webmanifest']) {
    writeFileSync(join(site, name), name);
  }
  const location = replaceTexts('viewer.md', guideBlock('viewer.md', 'nginx'), [
    ['/srv/svc-viewer', site],
  ]);
  const servers = `server { listen 127.0.0.1:${port}; ${location} }`;
  const nginx = await startNginxWith(folder, servers, port);
  t.after(() => nginx[Symbol.asyncDispose]());
  const types: Readonly<Record<string, string>> = {
    '': 'text/html',
    'app.js': 'text/javascript',
    'style.css': 'text/css',
    'icon.svg': 'image/svg+xml',
    'site.webmanifest': 'application/manifest+json',
  };
  for (const [name, type] of Object.entries(types)) {
    const { headers, status } = await fetch(`http://127.0.0.1:${port}/viewer/${name}`);
    assert.deepEqual([status, headers.get('content-type')], [200, type]);
    assert.equal(headers.get('content-security-policy'), "frame-ancestors 'none'");
  }
});
