// Escaping: what is put into a template stays text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeText, html, jsonForScript } from './html.ts';

/** What `escapeText` makes of each character that could end an element, a quoted attribute or an entity. */
const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};
const MARKUP = Object.keys(ESCAPED);
const RUNS = 500;

/** Texts of any characters, about every third of which could be markup. */
const hostileText = fc.string({
  unit: fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...MARKUP, '\u2028', '\u2029', '/', '!', '-') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  ),
  maxLength: 30,
  size: 'max',
});

/** Counts texts by the characters they hold, and holds each count against what it must be at least. */
function countHolders(characters: readonly string[]): {
  count(text: string): void;
  assertEach(least: number): void;
} {
  const counts = new Map(characters.map((character) => [character, 0]));
  return {
    count(text) {
      for (const [character, count] of counts) {
        if (text.includes(character)) counts.set(character, count + 1);
      }
    },
    assertEach(least) {
      for (const [character, count] of counts) {
        assert.ok(count >= least, `${count} texts held ${JSON.stringify(character)}`);
      }
    },
  };
}

test('html escapes text, lists and attributes, and nests', () => {
  const inner = html`<b>${'<i>'}</b>`;
  const made = html`<p title="${'"onload="x'}">${[inner, null, false, 3]}</p>`;
  assert.equal(made.text, '<p title="&quot;onload=&quot;x"><b>&lt;i&gt;</b>3</p>');
  assert.equal(String(made), made.text);
});

test('html shows nothing for what is missing, and every other value once', () => {
  assert.equal(html`${null}|${undefined}|${false}|${''}|${0}|${[]}`.text, '||||0|');
  assert.equal(html`a${['<', ['>', [html`<hr>`]]]}b`.text, 'a&lt;&gt;<hr>b');
  assert.equal(html`plain`.text, 'plain');
});

test('escapeText escapes each character that is markup, wherever it stands and however often', () => {
  for (const [character, escaped] of Object.entries(ESCAPED)) {
    assert.equal(escapeText(character), escaped);
    const text = `${character}a${character}${character}b${character}`;
    assert.equal(escapeText(text), `${escaped}a${escaped}${escaped}b${escaped}`);
    assert.equal(html`<p title="${text}">`.text, `<p title="${escapeText(text)}">`);
  }
  assert.equal(escapeText('&lt;'), '&amp;lt;');
  assert.equal(escapeText('a b/=!-é🌙\n'), 'a b/=!-é🌙\n');
});

test('escapeText lets no markup through, and a browser reads the same text again', () => {
  const seen = countHolders(MARKUP);
  const names = new Map(Object.entries(ESCAPED).map(([character, name]) => [name, character]));
  fc.assert(
    fc.property(hostileText, (text) => {
      seen.count(text);
      const escaped = escapeText(text);
      assert.doesNotMatch(escaped, /[<>"'`]|&(?!(?:amp|lt|gt|quot|#39|#96);)/);
      assert.equal(
        escaped.replace(/&[^;]+;/g, (name) => names.get(name) ?? ''),
        text,
      );
    }),
    { numRuns: RUNS },
  );
  seen.assertEach(RUNS / 10);
});

test('jsonForScript cannot end its script and reads back the same', () => {
  const dangerous = ['<', '>', '&', '\u2028', '\u2029'];
  for (const character of dangerous) {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    assert.equal(jsonForScript([character, character]).text, `["\\u${code}","\\u${code}"]`);
  }
  const seen = countHolders(dangerous);
  fc.assert(
    fc.property(hostileText, (text) => {
      seen.count(text);
      const value = { text, [text]: `</script><!--${text}` };
      const { text: made } = jsonForScript(value);
      assert.doesNotMatch(made, /[<>&\u2028\u2029]/);
      assert.deepEqual(JSON.parse(made), value);
    }),
    { numRuns: RUNS },
  );
  seen.assertEach(RUNS / 10);
});
