// Markdown of strangers: what it may become.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { renderMarkdown, renderMarkdownParts, summarizeMarkdown } from './markdown.ts';

test('renderMarkdown shows HTML as text and shifts headings', () => {
  const made = renderMarkdown(
    '# One\n\n<script>alert(1)</script> **bold** <b onclick=x>hi</b>',
  ).text;
  assert.match(made, /<h3>One<\/h3>/);
  assert.match(made, /&lt;script&gt;alert\(1\)&lt;\/script&gt; <strong>bold<\/strong>/);
  assert.doesNotMatch(made, /<b /);
});

test('renderMarkdown links only where a link is safe, and loads no picture', () => {
  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//evil.example',
    'java\nscript:x',
    '&#106;avascript:alert(1)',
  ]) {
    assert.doesNotMatch(renderMarkdown(`[x](${address})`).text, /<a /, address);
    assert.doesNotMatch(renderMarkdown(`[x](<${address}>)`).text, /<a /, address);
  }
  const made = renderMarkdown(
    '[ok](https://example.org/a?b=1&c=2) ![p](https://example.org/p.png)',
  ).text;
  assert.match(
    made,
    /<a href="https:\/\/example\.org\/a\?b=1&amp;c=2" rel="nofollow ugc noopener noreferrer">ok<\/a>/,
  );
  assert.doesNotMatch(made, /<img/);
});

test('renderMarkdownParts are together what renderMarkdown makes, with headings beside what they head', () => {
  const block = fc.constantFrom(
    '# Heading',
    'Words **and** more',
    '- one\n- two\n\n  more',
    '> said\n>\n> again',
    '```js\nrun()\n```',
    '---',
    '| a | b |\n|---|---|\n| c | d |',
    '[a]: https://x.y\n',
    '1. [a]\n2. b',
  );
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      (blocks, most) => {
        const text = blocks.join('\n\n');
        const parts = renderMarkdownParts(text, most);
        assert.equal(parts.join(''), renderMarkdown(text).text);
        for (const part of parts.slice(0, -1)) assert.doesNotMatch(part.text, /<\/h[1-6]>\n$/);
        assert.ok(parts.every((part) => part.text !== ''));
      },
    ),
  );
});

test('renderMarkdown makes no element but its own, whatever the text', () => {
  const known =
    /^<\/?(?:p|em|strong|code|pre|blockquote|ul|ol|li|h[3-6]|hr|br|a|table|thead|tbody|tr|th|td|s)(?: (?:href="(?:|(?:https?:|mailto:)[^"<>]*)"|rel="[a-z ]+"|title="[^"<>]*"|start="\d+"|class="language-[^"<>]*"))*>$/i;
  const piece = fc.oneof(
    fc.constantFrom(
      '<',
      '>',
      '"',
      '[',
      '](',
      ')',
      '`',
      '\n',
      '# ',
      'javascript:',
      '![',
      '&#x3c;',
      '<a href=',
      'https://x.y/',
      '|',
      '- ',
      '```js\n',
      ' onload=',
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      for (const tag of renderMarkdown(pieces.join('')).text.match(/<[^>]*>?/g) ?? []) {
        assert.match(tag, known);
      }
    }),
    { numRuns: 1000 },
  );
});

test('summarizeMarkdown keeps the words and cuts between characters', () => {
  assert.equal(summarizeMarkdown('# Hi\n\n*there* [you](https://x.y)', 50), 'Hi there you');
  assert.equal(summarizeMarkdown('🌙🌙🌙🌙', 3), '🌙🌙…');
});
