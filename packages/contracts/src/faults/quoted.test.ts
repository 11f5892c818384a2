import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearWord } from './near-word.ts';
import { quoted } from './quoted.ts';

test('quoted shows at most forty characters of a value', () => {
  assert.equal(quoted('a b'), ' "a b"');
  const words = 'seven.. '.repeat(6);
  assert.equal(quoted(words.slice(0, 40)), ` "${words.slice(0, 40)}"`);
  assert.equal(quoted(words.slice(0, 41)), ` "${words.slice(0, 40)}…"`);
  assert.equal(quoted('🚀'.repeat(41)), ` "${'🚀'.repeat(40)}…"`);
});

test('quoted hides a value that may contain a secret', () => {
  for (const character of [...'aZ09_.~+/=-']) {
    assert.equal(quoted(character.repeat(32)), '', character);
    assert.equal(quoted(character.repeat(31)), ` "${character.repeat(31)}"`, character);
  }
  assert.equal(quoted(`${'a word '.repeat(20)}${'k3y'.repeat(11)}`), '');
});

test('quoted shows control and invisible characters by their code', () => {
  const rows: [text: string, shown: string][] = [
    ['a"b\\c', 'a\\"b\\\\c'],
    ['\u0007', '<U+0007>'],
    ['\u001b[31m', '<U+001B>[31m'],
    ['\u202e', '<U+202E>'],
    ['\u2028', '<U+2028>'],
    ['\ud800', '<U+D800>'],
    ['\u{e0041}', '<U+E0041>'],
    ['é 東', 'é 東'],
  ];
  for (const [text, shown] of rows) assert.equal(quoted(text), ` "${shown}"`);
});

test('nearWord finds the intended word with one typo per three letters', () => {
  const known = ['title', 'tags', 'description', 'id'];
  const rows: [word: string, near: string | null][] = [
    ['title', 'title'],
    ['TITLE', 'title'],
    // Swapped, dropped, inserted, replaced.
    ['titel', 'title'],
    ['titl', 'title'],
    ['tiitle', 'title'],
    ['tidle', 'title'],
    ['tagz', 'tags'],
    ['tazz', null],
    ['title__', null],
    ['desXriXtiXn', 'description'],
    ['dXsXrXpXion', null],
    ['i', 'id'],
    ['x', null],
    ['', null],
  ];
  for (const [word, near] of rows) assert.equal(nearWord(word, known), near, word);
  assert.equal(nearWord('title', []), null);
  // The nearest of several, and the first of two that are equally near.
  assert.equal(nearWord('screens', ['screams', 'screen']), 'screen');
  assert.equal(nearWord('cat', ['car', 'cut']), 'car');
  assert.equal(nearWord('cat', ['cut', 'car']), 'cut');
});

test('nearWord does not compare words of more than 64 characters', () => {
  const long = 'a'.repeat(64);
  assert.equal(nearWord(`${long.slice(1)}b`, [long]), long);
  assert.equal(nearWord(`${long}a`, [`${long}a`]), null);
});
