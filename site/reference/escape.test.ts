import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMarkdown } from '../markdown/parse-markdown.ts';
import { code, codeBlock, escapeText, paragraphs, table } from './escape.ts';

test('text is shown as it is, without markup of Markdown, HTML or Vue', () => {
  assert.equal(
    escapeText('a *b* [c](d) <FILE> & {{ x }} e|f #1'),
    'a \\*b\\* \\[c\\](d) &lt;FILE> &amp; &#123;&#123; x }} e|f \\#1',
  );
});

test('code in backquotes stays code', () => {
  assert.equal(escapeText('<a> `<b> *` <c>'), '&lt;a> `<b> *` &lt;c>');
});

for (const text of ['a', 'a`b', '`a', '``', 'x`` `y']) {
  test(`the code ${JSON.stringify(text)} is read as it is`, () => {
    assert.deepEqual(
      parseMarkdown(code(text)).code.map((one) => one.text),
      [text],
    );
  });
}

test('a block of code may contain a fence', () => {
  const text = 'a\n```\nb\n';
  assert.deepEqual(parseMarkdown(codeBlock('text', text)).code, [
    { language: 'text', text, line: 1 },
  ]);
});

test('a table has one line for each row, and a bar in a cell is text', () => {
  assert.equal(
    table(
      ['a', 'b'],
      [
        ['x|y', '`p|q`'],
        ['two\nlines', code('p\\|q')],
      ],
    ),
    '| a | b |\n| --- | --- |\n| x\\|y | `p\\|q` |\n| two lines | `p\\\\|q` |',
  );
});

test('a table without rows is empty', () => {
  assert.equal(table(['a'], []), '');
});

test('empty parts make no paragraphs', () => {
  assert.equal(paragraphs('', 'a', '', 'b'), 'a\n\nb');
});
