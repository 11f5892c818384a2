// The files of a folder: which are listed, and that reading stays inside.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { folderFiles, openSymbols, SymbolFault } from '../src/index.ts';
import { mapOf } from './files-of.ts';

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-symbols-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('scripts, maps, modules and symbol files are listed, without links and other projects', async (t) => {
  const folder = temporaryFolder(t);
  const outside = temporaryFolder(t);
  writeFileSync(join(outside, 'secret.js'), 'secret');
  mkdirSync(join(folder, 'js/node_modules/x'), { recursive: true });
  for (const path of [
    'a.js',
    'js/b.mjs.map',
    'c.wasm',
    'd.js.symbols',
    'e.png',
    'js/node_modules/x/f.js',
  ]) {
    writeFileSync(join(folder, path), path);
  }
  symlinkSync(join(outside, 'secret.js'), join(folder, 'link.js'));
  symlinkSync(outside, join(folder, 'folder'));
  const files = folderFiles(folder);
  assert.deepEqual(await files.list(), ['a.js', 'c.wasm', 'd.js.symbols', 'js/b.mjs.map']);
  assert.equal(Buffer.from(await files.read('a.js', 4)).toString(), 'a.js');
  await assert.rejects(files.read('a.js', 3), SymbolFault);
  await assert.rejects(files.read('link.js', 100), /a link out of the folder/);
  await assert.rejects(files.read('folder/secret.js', 100), /a link out of the folder/);
  await assert.rejects(files.read('../secret.js', 100));
  await assert.rejects(folderFiles(join(folder, 'none')).list(), { code: 'ENOENT' });
});

test('a map that is too large or can not be read is reported with its name', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'main.js.map'), mapOf([[0, 0, 0, 0]]));
  const files = folderFiles(folder);
  const paths = await files.list();
  truncateSync(join(folder, 'main.js.map'), 256 * 1024 * 1024 + 1);
  const traced = { own: 't', url: 'http://h/main.js', line: 1, column: 1, wasmIndex: null };
  const large = await openSymbols(files);
  assert.equal(await large.resolve(traced), undefined);
  assert.deepEqual(large.report().warnings, [
    { path: 'main.js.map', message: 'it has 268435457 bytes; 268435456 are allowed' },
  ]);
  rmSync(join(folder, 'main.js.map'));
  const gone = await openSymbols({ ...files, list: async () => paths });
  assert.equal(await gone.resolve(traced), undefined);
  assert.match(gone.report().warnings[0]?.message ?? '', /ENOENT/);
});
