import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDocuments, resolveTarget } from './read-documents.ts';

test('a link to Markdown, a file or a folder is resolved from the folder of its document', () => {
  assert.deepEqual(resolveTarget('docs/cli.md', 'ci.md#gitlab'), {
    kind: 'document',
    path: 'docs/ci.md',
    hash: '#gitlab',
  });
  assert.deepEqual(resolveTarget('docs/cli.md', '../LICENSE'), {
    kind: 'file',
    path: 'LICENSE',
    hash: '',
  });
  assert.deepEqual(resolveTarget('README.md', 'docs/decisions/'), {
    kind: 'folder',
    path: 'docs/decisions',
    hash: '',
  });
});

test('a link to a folder with a README leads to the README', () => {
  assert.deepEqual(resolveTarget('docs/cli.md', '../packages/trace'), {
    kind: 'document',
    path: 'packages/trace/README.md',
    hash: '',
  });
});

for (const target of ['https://example.org/a.md', 'mailto:a@example.org', '#exit-codes']) {
  test(`${target} refers to no other file`, () => {
    assert.equal(resolveTarget('docs/cli.md', target), null);
  });
}

for (const target of ['none.md', '../none/', '../../..']) {
  test(`${target}, which is not in the repository, is refused`, () => {
    assert.throws(
      () => resolveTarget('docs/cli.md', target),
      /docs\/cli\.md refers to .*which does not exist/,
    );
  });
}

test('documents are found by links, files and folders are listed, and all are in order', () => {
  const { documents, files, folders } = readDocuments();
  const paths = [...documents.keys()];
  for (const path of [
    'README.md',
    'docs/cli.md',
    'examples/moonhop/README.md',
    'docs/decisions/notes.md',
  ]) {
    assert.ok(paths.includes(path), path);
  }
  assert.deepEqual(paths, paths.toSorted());
  assert.ok(files.has('docs/images/overview.webp') && files.has('packages/cli/schemas/svc.json'));
  assert.ok(folders.has('packages/cli/schemas') && !folders.has('examples/moonhop'));
  assert.ok(![...files].some((path) => path.endsWith('.md')));
});
