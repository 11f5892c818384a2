// svc.json: accepted and rejected contents, and that it is written completely or not at all.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../test/svc.ts';
import { thrownBy } from '../../test/thrown-by.ts';
import { readProjectFile, requireProjectId, writeProjectFile } from './project-file.ts';

function folderWith(t: TestContext, text: string): string {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'svc.json'), text);
  return folder;
}

test('readProjectFile reads files of init and publish, also with a byte order mark, and returns null if the file is missing', (t) => {
  const folder = temporaryFolder(t);
  assert.equal(readProjectFile(folder), null);
  const project = { title: 'Cats', id: 'x', slug: 'cats', budgets: { hitches: 0 } };
  writeProjectFile(folder, project);
  assert.deepEqual(readProjectFile(folder), project);
  assert.equal(requireProjectId(folder), 'x');
  assert.equal(
    readFileSync(join(folder, 'svc.json'), 'utf8'),
    `${JSON.stringify(project, null, 2)}\n`,
  );
  assert.deepEqual(readProjectFile(folderWith(t, '\ufeff{"title":"Cats"}')), { title: 'Cats' });
});

test('readProjectFile rejects a file that contains a token, complete or cut off, in any place', (t) => {
  const cut = `svc_${'a'.repeat(16)}`;
  for (const text of [
    JSON.stringify({ title: 'Cats', id: `svc_${'a'.repeat(42)}` }),
    JSON.stringify({ title: cut }),
    `{"title": "Cats"} // ${cut}`,
  ]) {
    const { exitCode, code, message, extras } = thrownBy(() =>
      readProjectFile(folderWith(t, text)),
    );
    assert.deepEqual([exitCode, code], [7, 'token_in_project_file'], text);
    assert.ok(!`${message}${extras.hint}`.includes(cut));
    assert.match(extras.hint ?? '', /revoke it/);
  }
  const short = { title: `svc_${'a'.repeat(15)}` };
  assert.deepEqual(readProjectFile(folderWith(t, JSON.stringify(short))), short);
});

test('readProjectFile reports each mistake, and the position of a fault in the JSON', (t) => {
  const long = 'x'.repeat(81);
  const rows: [project: object, paths: string[]][] = [
    [{}, ['title']],
    [{ title: '' }, ['title']],
    [{ title: long }, ['title']],
    [{ title: 'x', slug: 'a--b', engine: 'quake' }, ['slug', 'engine']],
    [{ title: 'x', id: '' }, ['id']],
    [{ title: 'x', build: '' }, ['build']],
    [{ title: 'x', ignore: [1] }, ['ignore/0']],
    [{ title: 'x', budgets: { hitches: -1 } }, ['budgets/hitches']],
    [{ title: 'x', budgets: { fps: 60 } }, ['budgets/fps']],
    [{ title: 'a\u202eb' }, ['title']],
  ];
  for (const [project, paths] of rows) {
    const { exitCode, code, extras, message } = thrownBy(() =>
      readProjectFile(folderWith(t, JSON.stringify(project))),
    );
    assert.deepEqual([exitCode, code], [7, 'project_file_invalid']);
    assert.deepEqual(
      extras.details?.map(({ path }) => path),
      paths,
      JSON.stringify(project),
    );
    const count = paths.length === 1 ? 'a mistake' : `${paths.length} mistakes`;
    assert.equal(message, `Cannot use svc.json: it has ${count}.`);
  }
  assert.deepEqual(readProjectFile(folderWith(t, JSON.stringify({ title: long.slice(1) }))), {
    title: long.slice(1),
  });
  const torn = thrownBy(() => readProjectFile(folderWith(t, '{\n  "title": }')));
  assert.deepEqual(
    [torn.exitCode, torn.code, torn.extras.line, torn.extras.column],
    [7, 'project_file_invalid', 2, 12],
  );
});

test('readProjectFile reports why svc.json cannot be read, and does not treat it as missing', (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'svc.json'));
  const { exitCode, code } = thrownBy(() => readProjectFile(folder));
  assert.deepEqual([exitCode, code], [7, 'project_file_invalid']);
});

test('writeProjectFile replaces the file in one step, and leaves no file if it fails', (t) => {
  const folder = folderWith(t, 'old');
  writeProjectFile(folder, { title: 'Cats' });
  assert.deepEqual(readdirSync(folder), ['svc.json']);
  assert.deepEqual(readProjectFile(folder), { title: 'Cats' });
  const blocked = temporaryFolder(t);
  mkdirSync(join(blocked, 'svc.json'));
  const { exitCode, code } = thrownBy(() => writeProjectFile(blocked, { title: 'Cats' }));
  assert.deepEqual([exitCode, code], [1, 'project_file_not_saved']);
  assert.deepEqual(readdirSync(blocked), ['svc.json']);
});
