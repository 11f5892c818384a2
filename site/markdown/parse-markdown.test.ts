import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMarkdown } from './parse-markdown.ts';

test('the second heading with a text has a numbered anchor', () => {
  const { headings } = parseMarkdown('# A `b`\n\n## C\n\n## C\n\n## C');
  assert.deepEqual(
    headings.map(({ level, text, anchor }) => [level, text, anchor]),
    [
      [1, 'A b', 'a-b'],
      [2, 'C', 'c'],
      [2, 'C', 'c-1'],
      [2, 'C', 'c-2'],
    ],
  );
});

test('links, images and addresses in HTML are found with the line of their paragraph or row', () => {
  const { links } = parseMarkdown(
    '[a](x.md "title")\n\n| h |\n| --- |\n| [b](y%20z.md) |\n| ![c](c.png) |\n\n<p>\n<img src="d.png">\n</p>\n',
  );
  assert.deepEqual(links, [
    { target: 'x.md', line: 1 },
    { target: 'y%20z.md', line: 5 },
    { target: 'c.png', line: 6 },
    { target: 'd.png', line: 8 },
  ]);
});

test('code in a sentence has no language, and a block has the one that it names', () => {
  const { code } = parseMarkdown('Run `npm ci`.\n\n```sh\nnpm test\n```\n\n    indented\n');
  assert.deepEqual(code, [
    { language: null, text: 'npm ci', line: 1 },
    { language: 'sh', text: 'npm test\n', line: 3 },
    { language: '', text: 'indented\n', line: 7 },
  ]);
});
