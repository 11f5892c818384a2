// Markdown from names of anyone: what it shows is the name, and nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeMarkdown, markdownTable } from './markdown.ts';

test('escapeMarkdown leaves no markup, HTML, link, emoji or mention', () => {
  assert.equal(escapeMarkdown('a_b*c`d`~~e~~'), 'a\\_b\\*c\\`d\\`\\~\\~e\\~\\~');
  assert.equal(escapeMarkdown('![x](y) # $z |'), '\\!\\[x\\](y) \\# \\$z \\|');
  assert.equal(escapeMarkdown('<b>&amp;\\'), '&lt;b&gt;&amp;amp;\\\\');
  assert.equal(escapeMarkdown('https://a.example @all'), 'https:\\/\\/a.example @&#8203;all');
  assert.equal(escapeMarkdown('www.a.example WWW.b'), 'www&#8203;.a.example WWW&#8203;.b');
  assert.equal(escapeMarkdown(':tada: :+1: :e-mail:'), ':&#8203;tada: :&#8203;+1: :&#8203;e-mail:');
  assert.equal(escapeMarkdown(':a_b:'), ':&#8203;a\\_b:');
  assert.equal(escapeMarkdown('update game.js:12'), 'update game.js:12');
  assert.equal(escapeMarkdown('std::vector www a: b:'), 'std::vector www a: b:');
});

test('escapeMarkdown keeps a text on one line, in its direction', () => {
  assert.equal(
    escapeMarkdown('a\nb\tc\u0000d\u009fe\u202ef\u2029g\u007fh\u001fi'),
    'a b c d e f g h i',
  );
});

test('markdownTable has a line of titles, of alignment and for each row, and missing cells are empty', () => {
  assert.deepEqual(
    markdownTable([{ title: 'Name|' }, { title: 'ms', align: 'right' }], [['a|b', '5'], ['c']]),
    ['| Name\\| | ms |', '| --- | ---: |', '| a\\|b | 5 |', '| c |  |'],
  );
});
