// Escaping of values in templates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeText, html, jsonForScript } from './html.ts';

/** The escaped form of each character that could end an element, a quoted attribute or an entity. */
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

/** Texts of random characters. About a third of them have a meaning in markup. */
const hostileText = fc.string({
  unit: fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...MARKUP, '\u2028', '\u2029', '/', '!', '-') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  ),
  maxLength: 30,
  size: 'max',
});

/** Counts the texts that contain each character, and asserts a minimum for each count. */
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

test('html inserts nothing for missing values, and every other value once', () => {
  assert.equal(html`${null}|${undefined}|${false}|${''}|${0}|${[]}`.text, '||||0|');
  assert.equal(html`a${['<', ['>', [html`<hr>`]]]}b`.text, 'a&lt;&gt;<hr>b');
  assert.equal(html`plain`.text, 'plain');
});

test('escapeText escapes every occurrence of each markup character', () => {
  for (const [character, escaped] of Object.entries(ESCAPED)) {
    assert.equal(escapeText(character), escaped);
    const text = `${character}a${character}${character}b${character}`;
    assert.equal(escapeText(text), `${escaped}a${escaped}${escaped}b${escaped}`);
    assert.equal(html`<p title="${text}">`.text, `<p title="${escapeText(text)}">`);
  }
  assert.equal(escapeText('&lt;'), '&amp;lt;');
  assert.equal(escapeText('a b/=!-é🌙\n'), 'a b/=!-é🌙\n');
});

test('escapeText leaves no markup, and unescaping returns the original text', () => {
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

test('jsonForScript can’t end its script element, and parsing returns the original value', () => {
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
