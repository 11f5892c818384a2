// Markdown that shows any text as it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeMarkdown, markdownTable } from './markdown.ts';

test('markdownTable writes titles, alignment and rows', () => {
  const columns = [{ title: 'COST', align: 'right' }, { title: 'NAME' }] as const;
  assert.deepEqual(markdownTable(columns, [['1', 'a'], ['2']]), [
    '| COST | NAME |',
    '| ---: | --- |',
    '| 1 | a |',
    '| 2 |  |',
  ]);
  assert.deepEqual(markdownTable([{ title: 'A|B' }], [['x\n|y|']]), [
    '| A\\|B |',
    '| --- |',
    '| x \\|y\\| |',
  ]);
});

test('escapeMarkdown leaves no character that Markdown, HTML, a terminal or GitHub would act on', () => {
  const rows: [text: string, escaped: string][] = [
    ['update game.js:12', 'update game.js:12'],
    ['a|b', 'a\\|b'],
    ['a\\|b', 'a\\\\\\|b'],
    ['a\nb\tc', 'a b c'],
    ['`x`', '\\`x\\`'],
    ['<img src=x>&amp;', '&lt;img src=x&gt;&amp;amp;'],
    ['*a* _b_ ~c~', '\\*a\\* \\_b\\_ \\~c\\~'],
    ['![i](http://x)', '\\!\\[i\\](http:\\/\\/x)'],
    ['#12 $x$', '\\#12 \\$x\\$'],
    ['@team', '@&#8203;team'],
    ['\u001b[2J\u202e', '\\\\x1b\\[2J\\\\u202e'],
    ['a\r\nb', 'a\\\\x0d b'],
  ];
  for (const [text, escaped] of rows) assert.equal(escapeMarkdown(text), escaped, text);
});
