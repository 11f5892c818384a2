// The file that leads a browser to a secret address: private, a safe page, and removed later.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../../scripts/until.ts';
import { temporaryFolder } from '../../test/svc.ts';
import { openCommand, openInBrowser, writeRedirectFile } from './open-browser.ts';

test('writeRedirectFile writes a page that leads to the address and that only its owner can read', (t) => {
  const folder = join(temporaryFolder(t), 'a/b');
  const url = 'https://id.example/a?b=c&d="><script>alert(1)</script>#token=x';
  const path = writeRedirectFile(folder, url, 'the dashboard');
  assert.equal(path, join(folder, `open-${process.pid}.html`));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  const page = readFileSync(path, 'utf8');
  const escaped = 'https://id.example/a?b=c&amp;d=&quot;>&lt;script>alert(1)&lt;/script>#token=x';
  assert.ok(page.includes(`content="0;url=${escaped}"`), page);
  assert.ok(page.includes(`<a href="${escaped}">`), page);
  assert.ok(!page.includes('<script'), page);
  assert.match(page, /name="referrer" content="no-referrer"/);
});

test('writeRedirectFile removes the files of processes that have exited, and no others', (t) => {
  const folder = temporaryFolder(t);
  const { pid: gone } = spawnSync('true');
  const kept = [
    'open-1.html',
    'open-1.htm',
    'open-x.html',
    `xopen-${gone}.html`,
    `open-${gone}.html.bak`,
    'credentials',
  ];
  for (const name of [...kept, `open-${gone}.html`]) writeFileSync(join(folder, name), 'x');
  mkdirSync(join(folder, 'open'));
  const own = `open-${process.pid}.html`;
  writeFileSync(join(folder, own), 'of an earlier try', { mode: 0o644 });
  writeRedirectFile(folder, 'https://id.example', 'the dashboard');
  assert.deepEqual(readdirSync(folder).sort(), [...kept, 'open', own].sort());
  assert.equal(statSync(join(folder, own)).mode & 0o777, 0o600);
  assert.match(readFileSync(join(folder, own), 'utf8'), /id\.example/);
});

test('openCommand starts the program of each system, on Windows by its full path and with an address', (t) => {
  const { SystemRoot } = process.env;
  t.after(() => {
    delete process.env['SystemRoot'];
    if (SystemRoot !== undefined) process.env['SystemRoot'] = SystemRoot;
  });
  assert.deepEqual(openCommand('/a b', 'linux'), ['xdg-open', '/a b']);
  assert.deepEqual(openCommand('/a b', 'darwin'), ['open', '/a b']);
  process.env['SystemRoot'] = 'D:\\Win';
  const opener = 'D:\\Win\\System32\\rundll32.exe';
  const handler = 'url.dll,FileProtocolHandler';
  assert.deepEqual(openCommand('/a b', 'win32'), [opener, handler, 'file:///a%20b']);
  assert.deepEqual(openCommand('https://x/?a', 'win32'), [opener, handler, 'https://x/?a']);
  delete process.env['SystemRoot'];
  assert.equal(openCommand('/a', 'win32')[0], 'C:\\Windows\\System32\\rundll32.exe');
});

test('openInBrowser passes the path to the desktop, and does nothing without one', {
  skip: process.platform !== 'linux' && 'system: the program is xdg-open on Linux only',
}, async (t) => {
  const folder = temporaryFolder(t);
  const opened = join(folder, 'opened');
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\necho "$#" "$1" >${opened}\n`, {
    mode: 0o755,
  });
  const { PATH = '' } = process.env;
  t.after(() => {
    process.env['PATH'] = PATH;
  });
  process.env['PATH'] = folder;
  openInBrowser('/a page.html');
  const text = (): string => (existsSync(opened) ? readFileSync(opened, 'utf8') : '');
  await until(text, (one) => one.endsWith('\n'), 'the page is opened');
  assert.equal(text(), '1 /a page.html\n');
  // An error without a listener would fail this test after it has ended.
  process.env['PATH'] = '/nowhere';
  openInBrowser('/a page.html');
  await new Promise((resolve) => setTimeout(resolve, 50));
});
