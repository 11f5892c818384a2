import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { buildSite, requireReplaceable } from './build.ts';

test('only an empty folder and an earlier site may be replaced', () => {
  using folder = temporaryFolder();
  const out = join(folder.path, 'out');
  requireReplaceable(out);
  mkdirSync(out);
  requireReplaceable(out);
  writeFileSync(join(out, 'index.html'), '');
  assert.throws(() => requireReplaceable(out), /contains files that are no earlier site\. Choose/);
  writeFileSync(join(out, '.svc-site'), '');
  requireReplaceable(out);
  mkdirSync(join(out, '.git'));
  assert.throws(() => requireReplaceable(out), /contains \.git\. Choose another folder/);
  assert.throws(() => requireReplaceable(join(out, 'index.html')), /index\.html is no folder/);
});

test('a wrong base, also one that would lead to another host, is rejected before anything is made', async () => {
  using folder = temporaryFolder();
  const out = join(folder.path, 'out');
  for (const base of ['', 'guides/', '/guides', '//host/', '/a b/', '/?x/', '/#/']) {
    await assert.rejects(buildSite({ out, base }), /--base must be a path/, base);
  }
  assert.deepEqual(readdirSync(folder.path), []);
});
