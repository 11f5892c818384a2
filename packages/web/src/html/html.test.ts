// Escaping: what is put into a template stays text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeText, html, jsonForScript } from './html.ts';

test('html escapes text, lists and attributes, and nests', () => {
  const inner = html`<b>${'<i>'}</b>`;
  const made = html`<p title="${'"onload="x'}">${[inner, null, false, 3]}</p>`;
  assert.equal(made.text, '<p title="&quot;onload=&quot;x"><b>&lt;i&gt;</b>3</p>');
});

test('escapeText lets no markup through, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.doesNotMatch(escapeText(text), /[<>"'`]/);
    }),
  );
});

test('jsonForScript cannot end its script and reads back the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const value = { text: `</script><!--${text}` };
      const { text: made } = jsonForScript(value);
      assert.doesNotMatch(made, /[<>&\u2028\u2029]/);
      assert.deepEqual(JSON.parse(made), value);
    }),
  );
});
