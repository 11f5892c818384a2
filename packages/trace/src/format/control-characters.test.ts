import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replaceControls } from './control-characters.ts';

const replaced = (text: string): string => replaceControls(text, () => '.');

test('control characters, separators of lines and changes of direction are replaced', () => {
  for (const character of [
    ...['\u0000', '\t', '\n', '\r', '\u001b', '\u001f', '\u007f', '\u0080', '\u009f'],
    ...['\u2028', '\u2029', '\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'],
  ]) {
    const code = character.charCodeAt(0).toString(16);
    assert.equal(replaced(`a${character}${character}b`), 'a..b', code);
  }
});

test('other characters are kept, among them joiners', () => {
  const text = ' ~\u00a0ü 猫 👩\u200d🚀 \u2027\u202f\u2065\u206a';
  assert.equal(replaced(text), text);
});

test('the replacement may depend on the character', () => {
  assert.equal(
    replaceControls('a\nb\u202e', (one) => `<${one.charCodeAt(0)}>`),
    'a<10>b<8238>',
  );
});
