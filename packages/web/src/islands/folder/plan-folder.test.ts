import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuildError } from '@svc/game-build/folder';
import { folderOf, LIMITS, unreadable } from '../../../test/folder-of.ts';
import { planFolder } from './plan-folder.ts';
import { FileChangedError } from './read-file.ts';

async function planned(files: Readonly<Record<string, string>>): Promise<string[]> {
  const { files: kept, ignored } = await planFolder(folderOf(files), LIMITS);
  return [...kept.map(({ path }) => path), ...ignored.map((path) => `-${path}`)];
}

test('.svcignore and the patterns of svc.json exclude files', async () => {
  const files = { 'index.html': 'x', 'a.psd': 'x', 'notes/a.txt': 'x', 'b/notes': 'x' };
  assert.deepEqual(await planned(files), ['a.psd', 'b/notes', 'index.html', 'notes/a.txt']);
  assert.deepEqual(await planned({ ...files, '.svcignore': '# art\n*.psd\n' }), [
    ...['b/notes', 'index.html', 'notes/a.txt', '-a.psd'],
  ]);
  const project = '{"title":"x","ignore":["*.psd","/notes/",7]}';
  assert.deepEqual(await planned({ ...files, 'svc.json': project }), [
    ...['b/notes', 'index.html', '-a.psd', '-notes/'],
  ]);
  for (const none of ['{}', '[]', 'null', '{"ignore":"*"}', '']) {
    assert.equal((await planned({ ...files, 'svc.json': none })).length, 4, none);
  }
  const inside = { 'a/svc.json': '{', 'a/.svcignore': '*' };
  assert.equal((await planned({ ...files, ...inside })).length, 6);
});

test('secrets and a svc.json that can’t be parsed are rejected with a hint', async () => {
  const rows = [
    [{ 'index.html': 'x', '.env': 'x' }, /Remove the file, or exclude it in \.svcignore/],
    [{ 'index.html': 'x', 'svc.json': '{' }, /Correct the file or remove it/],
  ] as const;
  for (const [files, hint] of rows) {
    await assert.rejects(planned(files), (error) => {
      assert.ok(error instanceof BuildError);
      assert.match(error.findings[0]?.hint ?? '', hint);
      return true;
    });
  }
});

test('an ignore file that can’t be read is reported', async () => {
  const files = [...folderOf({ 'index.html': 'x' }).files, unreadable('.svcignore')];
  await assert.rejects(planFolder({ name: 'game', files }, LIMITS), FileChangedError);
});
