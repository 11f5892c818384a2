// The rules of a folder in a browser are those of `planPack`, and need no module of Node.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { importedModules } from '../../../scripts/structure-source.ts';
import { BuildError, chooseFiles } from '../src/folder.ts';
import { BUILD_LIMITS, planPack } from '../src/index.ts';

type Files = Readonly<Record<string, string>>;

async function writeFolder(t: TestContext, files: Files): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-choose-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** The result of either function, without the hints, which differ. */
async function outcome(
  work: () => unknown,
): Promise<{ paths: string[]; ignored: unknown } | string[]> {
  try {
    const { files, ignored } = (await work()) as { files: { path: string }[]; ignored: unknown };
    return { paths: files.map(({ path }) => path), ignored };
  } catch (error) {
    assert.ok(error instanceof BuildError, String(error));
    return error.findings.map(({ rule, message }) => `${rule}: ${message}`);
  }
}

const FOLDERS: readonly (readonly [name: string, files: Files])[] = [
  ['plain', { 'index.html': 'x', 'b/a.js': 'x', 'a.js': 'x', 'é.txt': '', 'z/😀.png': '' }],
  ['one folder at the top', { 'dist/index.html': 'x', 'dist/a.js': 'x' }],
  ['junk', { 'index.html': 'x', '.DS_Store': 'x', '__MACOSX/a': 'x', 'a/Thumbs.db': 'x' }],
  [
    'ignored',
    {
      'index.html': 'x',
      '.svcignore': '*.psd\n/art/\n!keep.psd',
      'svc.json': '{}',
      'a/svc.json': '{}',
      'art/one.png': 'x',
      'b/art/two.png': 'x',
      'a.psd': 'x',
      'keep.psd': 'x',
    },
  ],
  [
    'ignored secrets',
    { 'index.html': 'x', '.svcignore': '.env\n.git/', '.env': 'A=1', '.git/a': '' },
  ],
  ['secrets', { 'index.html': 'x', '.env': 'A=1', '.git/a': 'x', '.git/b/c': 'x', 'k/id_rsa': '' }],
  ['no start page', { 'Index.html': 'x', 'a/index.html': 'x' }],
  ['nothing', { '.DS_Store': 'x' }],
  ['names', { 'index.html': 'x', 'con.txt': 'x', 'a/end. ': 'x', 'a:b': 'x' }],
];

test('chooseFiles keeps, ignores and rejects the same files of a folder as planPack', async (t) => {
  for (const [name, files] of FOLDERS) {
    const folder = await writeFolder(t, files);
    const planned = await outcome(() => planPack(folder, { ignore: ['*.log'] }));
    const all = Object.entries(files).map(([path, text]) => ({ path, bytes: text.length }));
    const patterns = [files['.svcignore'] ?? '', '*.log'];
    const chosen = await outcome(() =>
      chooseFiles(all.reverse(), { limits: BUILD_LIMITS, patterns, secretHint: '' }),
    );
    assert.deepEqual(chosen, planned, name);
  }
});

test('chooseFiles rejects a folder that exceeds the limits', async () => {
  const files = ['index.html', 'a.js'].map((path) => ({ path, bytes: 6 }));
  const choose = (limits: Partial<typeof BUILD_LIMITS>) =>
    outcome(() =>
      chooseFiles(files, { limits: { ...BUILD_LIMITS, ...limits }, patterns: [], secretHint: '' }),
    );
  assert.match(String(await choose({ files: 1 })), /^files: /);
  assert.match(String(await choose({ file_bytes: 5 })), /^file_bytes: /);
  assert.match(String(await choose({ expanded_bytes: 11 })), /^expanded_bytes: /);
  assert.deepEqual(await choose({ files: 2, file_bytes: 6, expanded_bytes: 12 }), {
    paths: ['a.js', 'index.html'],
    ignored: [],
  });
});

test('no file behind the entry for browsers uses a module or a global of Node', () => {
  const start = new URL('../src/folder.ts', import.meta.url);
  const reached = new Set([start.href]);
  for (const href of reached) {
    const text = readFileSync(new URL(href), 'utf8');
    const code = text.replaceAll(/^import type .*$|^export type .*$|^\s*(?:\/\/|\/?\*).*$/gm, '');
    assert.doesNotMatch(code, /\b(?:Buffer|process|require)\b/, href);
    for (const module of importedModules(code)) {
      if (module.startsWith('.')) reached.add(new URL(module, href).href);
      else assert.equal(module, 'ignore', `${href} imports ${module}`);
    }
  }
  assert.ok(reached.size > 8, `${reached.size} files`);
});
