// Each link, image and anchor in the documents and in the generated pages leads to something.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/workspaces.ts';
import { makePages } from '../make-pages.ts';
import { brokenLinks } from './broken-links.ts';
import { readTexts } from './read-texts.ts';

test('each link in the documents of the repository leads to a file, and its anchor to a heading', () => {
  assert.deepEqual(
    brokenLinks(readTexts(), (path) => existsSync(join(ROOT, path)) || isPublishedImage(path)),
    [],
  );
});

/** A release copies images beside the texts for npm. */
function isPublishedImage(path: string): boolean {
  return (
    /^packages\/[^/]+\/[^/]+$/.test(path) && existsSync(join(ROOT, 'docs/images', basename(path)))
  );
}

test('each link in the pages leads to a page, an image or a download', async () => {
  const { pages, images, downloads } = await makePages();
  assert.deepEqual(
    brokenLinks(pages, (path) => images.includes(path) || downloads.has(path)),
    [],
  );
});

test('a link to a missing file or heading is found with its line', () => {
  const texts = new Map([
    ['a.md', '# A\n\n[b](docs/b.md#two-words)\n[c](docs/c.md) [b](docs/b.md#three)\n\n[own](#a)'],
    ['docs/b.md', '# Two words\n\n## Two words\n\n[second](#two-words-1) [third](#two-words-2)'],
  ]);
  assert.deepEqual(
    brokenLinks(texts, () => false),
    [
      'a.md:3: docs/c.md: no such file',
      'a.md:3: docs/b.md#three: no such heading',
      'docs/b.md:5: #two-words-2: no such heading',
    ],
  );
});

test('an image, also in HTML, must exist', () => {
  const texts = new Map([
    ['a.md', '![x](x.png)\n\n<img src="y.png" alt="">\n\n<source srcset="z.png">\n'],
  ]);
  const found = brokenLinks(texts, (path) => path === 'y.png');
  assert.deepEqual(found, ['a.md:1: x.png: no such file', 'a.md:5: z.png: no such file']);
});

test('a link in code is no link', () => {
  assert.deepEqual(
    brokenLinks(new Map([['a.md', '`[x](x.md)`\n\n```text\n[y](y.md)\n```\n']]), () => false),
    [],
  );
});
