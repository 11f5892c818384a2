// Rendering of untrusted Markdown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { renderMarkdown, renderMarkdownParts, summarizeMarkdown } from './markdown.ts';

test('renderMarkdown escapes HTML and shifts headings', () => {
  const made = renderMarkdown(
    '# One\n\n<script>alert(1)</script> **bold** <b onclick=x>hi</b>',
  ).text;
  assert.match(made, /<h3>One<\/h3>/);
  assert.match(made, /&lt;script&gt;alert\(1\)&lt;\/script&gt; <strong>bold<\/strong>/);
  assert.doesNotMatch(made, /<b /);
});

test('renderMarkdown creates only safe links and no images', () => {
  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//evil.example',
    'java\nscript:x',
    '&#106;avascript:alert(1)',
    'javascript:https://example.org',
    'file:///etc/passwd',
    'ftp://example.org',
    'blob:https://example.org/x',
    '/dashboard',
    'dashboard',
    '#main',
    'httpsx://example.org',
  ]) {
    // An invalid address can contain a valid one, which becomes a link.
    assert.doesNotMatch(renderMarkdown(`[x](${address})`).text, /<a [^>]*>x<\/a>/, address);
    assert.doesNotMatch(renderMarkdown(`[x](<${address}>)`).text, /<a [^>]*>x<\/a>/, address);
  }
  const made = renderMarkdown(
    '[ok](https://example.org/a?b=1&c=2) ![p](https://example.org/p.png)',
  ).text;
  assert.match(
    made,
    /<a href="https:\/\/example\.org\/a\?b=1&amp;c=2" rel="nofollow ugc noopener noreferrer">ok<\/a>/,
  );
  assert.doesNotMatch(made, /<img/);
  assert.match(made, /!<a [^>]*href="https:\/\/example\.org\/p\.png"[^>]*>p<\/a>/);
  for (const address of ['https://x.org', 'HTTPS://x.org', 'http://x.org', 'mailto:a@x.org']) {
    const link = /<a href="([^"]+)" rel="([^"]+)"(?: title="t")?>x<\/a>/;
    assert.equal(link.exec(renderMarkdown(`[x](${address})`).text)?.[1], address);
    assert.match(
      renderMarkdown(`[x](${address} "t")`).text,
      /^<p><a href="[^"]+" (?:title="t" )?rel="nofollow ugc noopener noreferrer"/,
    );
  }
  // A plain-text address also becomes a marked link.
  assert.match(
    renderMarkdown('see https://example.org/x now').text,
    /<a href="https:\/\/example\.org\/x" rel="nofollow ugc noopener noreferrer">/,
  );
});

test('renderMarkdown shifts each heading level below the page’s headings, and ignores column alignment', () => {
  const levels = [1, 2, 3, 4, 5, 6].map((level) => {
    const [, open, close] =
      /^<h(\d)>x<\/h(\d)>\n$/.exec(renderMarkdown(`${'#'.repeat(level)} x`).text) ?? [];
    return [open, close].map(Number);
  });
  assert.deepEqual(levels, [
    [3, 3],
    [4, 4],
    [5, 5],
    [6, 6],
    [6, 6],
    [6, 6],
  ]);
  const table = renderMarkdown('| a | b |\n|:-:|--:|\n| c | d |').text;
  assert.doesNotMatch(table, /style/);
  assert.match(table, /<th>a<\/th>[\s\S]*<td>d<\/td>/);
  // Quotation marks and line ends are unchanged.
  assert.equal(renderMarkdown('"a" -- (c)\nb').text, '<p>&quot;a&quot; -- (c)\nb</p>\n');
});

test('renderMarkdownParts splits after the given number of blocks, and never inside a block', () => {
  const texts = (blocks: string[], most: number): string[] =>
    renderMarkdownParts(blocks.join('\n\n'), most).map(String);
  assert.deepEqual(texts(['a', 'b', 'c'], 1), ['<p>a</p>\n', '<p>b</p>\n', '<p>c</p>\n']);
  assert.deepEqual(texts(['a', 'b', 'c'], 2), ['<p>a</p>\n<p>b</p>\n', '<p>c</p>\n']);
  assert.deepEqual(texts(['a', 'b', 'c', 'd', 'e'], 2), [
    '<p>a</p>\n<p>b</p>\n',
    '<p>c</p>\n<p>d</p>\n',
    '<p>e</p>\n',
  ]);
  assert.deepEqual(texts(['# h', 'a', 'b'], 1), ['<h3>h</h3>\n<p>a</p>\n', '<p>b</p>\n']);
  assert.equal(texts(['- a\n- b\n\n  c', 'd'], 1).length, 2);
  assert.deepEqual(texts([''], 1), []);
});

const RUNS = 400;

test('the parts of renderMarkdownParts together equal renderMarkdown, and a heading stays with the next block', () => {
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
  let severalParts = 0;
  let headingAtCut = 0;
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 40, size: 'max' }),
      fc.integer({ min: 1, max: 9 }),
      (blocks, most) => {
        const text = blocks.join('\n\n');
        const parts = renderMarkdownParts(text, most);
        if (parts.length > 1) severalParts++;
        if (blocks.slice(0, -1)[most - 1] === '# Heading') headingAtCut++;
        assert.equal(parts.join(''), renderMarkdown(text).text);
        for (const part of parts.slice(0, -1)) assert.doesNotMatch(part.text, /<\/h[1-6]>\n$/);
        assert.ok(parts.every((part) => part.text !== ''));
      },
    ),
    { numRuns: RUNS },
  );
  assert.ok(severalParts >= RUNS / 4, `${severalParts} texts in several parts`);
  assert.ok(headingAtCut >= RUNS / 80, `${headingAtCut} texts with a heading where a part is full`);
});

test('renderMarkdown produces only its allowed elements for any text', () => {
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
      '\n\n# x\n',
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
  const seen = { links: 0, code: 0, headings: 0, escaped: 0, 'javascript:': 0 };
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30, size: 'max' }), (pieces) => {
      const { text } = renderMarkdown(pieces.join(''));
      if (text.includes('<a ')) seen.links++;
      if (text.includes('<code')) seen.code++;
      if (/<h[3-6]>/.test(text)) seen.headings++;
      if (text.includes('&lt;a href=')) seen.escaped++;
      if (text.includes('javascript:')) seen['javascript:']++;
      for (const tag of text.match(/<[^>]*>?/g) ?? []) {
        assert.match(tag, known);
      }
    }),
    { numRuns: 1000 },
  );
  for (const [what, count] of Object.entries(seen))
    assert.ok(count >= 50, `${what}: ${count} of 1000`);
});

test('summarizeMarkdown returns the plain text and cuts between characters', () => {
  assert.equal(summarizeMarkdown('# Hi\n\n*there* [you](https://x.y)', 50), 'Hi there you');
  assert.equal(summarizeMarkdown('🌙🌙🌙🌙', 3), '🌙🌙…');
  assert.equal(summarizeMarkdown('🌙🌙🌙🌙', 4), '🌙🌙🌙🌙');
  assert.equal(summarizeMarkdown('  one\ntwo `three`\n\n- four\n', 50), 'one two three four');
  assert.equal(summarizeMarkdown('<b>x</b> & y', 50), '<b>x</b> & y');
  assert.equal(summarizeMarkdown('', 5), '');
});
