import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuildError } from '@svc/game-build/folder';
import { readChosen } from './chosen-folder.ts';
import { entriesOf, isFolderDrop, readDropped } from './read-dropped.ts';

type Tree = { readonly [name: string]: string | Tree };

/** Browsers return at most this many entries per call. */
const ENTRIES_PER_CALL = 100;

function entryOf(name: string, content: string | Tree): FileSystemEntry {
  const isFile = typeof content === 'string';
  const entry = isFile
    ? { file: (done: (file: File) => void) => done(new File([content], name)) }
    : { createReader: () => readerOf(content) };
  return { name, isFile, isDirectory: !isFile, ...entry } as unknown as FileSystemEntry;
}

function readerOf(tree: Tree) {
  const rest = Object.entries(tree).map(([name, content]) => entryOf(name, content));
  return {
    readEntries: (done: (some: FileSystemEntry[]) => void) =>
      setImmediate(() => done(rest.splice(0, ENTRIES_PER_CALL))),
  };
}

const names = (files: readonly { path: string; bytes: number }[]): string[] =>
  files.map(({ path, bytes }) => `${path} ${bytes}`).sort();

test('all files of a dropped folder are found, also more than a call returns', async () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`${at}.txt`, 'x']));
  const tree = { 'index.html': 'abc', empty: {}, a: { b: { many } } };
  const { name, files } = await readDropped([entryOf('game', tree)], 1000);
  assert.equal(name, 'game');
  assert.equal(files.length, 251);
  assert.ok(names(files).includes('index.html 3'));
  assert.ok(names(files).includes('a/b/many/249.txt 1'));
});

test('several dropped entries are the content of a folder', async () => {
  const entries = [entryOf('index.html', 'abc'), entryOf('js', { 'main.js': 'x' })];
  const { name, files } = await readDropped(entries, 1000);
  assert.equal(name, '2 files and folders');
  assert.deepEqual(names(files), ['index.html 3', 'js/main.js 1']);
});

test('a folder with too many entries is rejected', async () => {
  const tree = { 'index.html': 'x', a: { '1': 'x', '2': 'x' } };
  assert.equal((await readDropped([entryOf('game', tree)], 4)).files.length, 3);
  for (const most of [1, 3]) {
    await assert.rejects(readDropped([entryOf('game', tree)], most), (error) => {
      assert.ok(error instanceof BuildError);
      assert.equal(error.findings[0]?.rule, 'folder_entries');
      return true;
    });
  }
});

test('a folder that can’t be read is an error', async () => {
  const failing = {
    name: 'game',
    isFile: false,
    isDirectory: true,
    createReader: () => ({
      readEntries: (_: unknown, fail: (error: Error) => void) => fail(new Error('no access')),
    }),
  } as unknown as FileSystemEntry;
  await assert.rejects(readDropped([failing], 10), /no access/);
});

test('a drop of one file is no folder', () => {
  const file = entryOf('a.zip', 'x');
  const folder = entryOf('game', {});
  assert.deepEqual(
    [[], [file], [folder], [file, file]].map((entries) => isFolderDrop(entries)),
    [false, false, true, true],
  );
  const items = [
    { kind: 'string', webkitGetAsEntry: () => folder },
    { kind: 'file', webkitGetAsEntry: () => file },
    { kind: 'file', webkitGetAsEntry: () => null },
  ];
  assert.deepEqual(entriesOf({ items } as unknown as DataTransfer), [file]);
});

test('the paths of a chosen folder do not have its name', () => {
  const fileAt = (path: string): File =>
    Object.defineProperty(new File(['ab'], 'x'), 'webkitRelativePath', { value: path });
  const folder = readChosen([fileAt('my game/index.html'), fileAt('my game/a/my game/b.js')]);
  assert.equal(folder?.name, 'my game');
  assert.deepEqual(names(folder?.files ?? []), ['a/my game/b.js 2', 'index.html 2']);
  assert.equal(readChosen([]), null);
});
