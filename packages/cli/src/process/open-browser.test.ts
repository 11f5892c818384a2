// The file that leads a browser to a secret address: private, a safe page, and removed later.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/svc.ts';
import { writeRedirectFile } from './open-browser.ts';

test('writeRedirectFile writes a page that leads to the address and that only its owner can read', (t) => {
  const folder = join(temporaryFolder(t), 'a/b');
  const url = 'https://id.example/a?b=c&d="><script>alert(1)</script>#token=x';
  const path = writeRedirectFile(folder, url);
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
  writeRedirectFile(folder, 'https://id.example');
  assert.deepEqual(readdirSync(folder).sort(), [...kept, 'open', own].sort());
  assert.equal(statSync(join(folder, own)).mode & 0o777, 0o600);
  assert.match(readFileSync(join(folder, own), 'utf8'), /id\.example/);
});
