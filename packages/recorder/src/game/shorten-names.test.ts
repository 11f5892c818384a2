import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortenNames } from './shorten-names.ts';

const SECRET = '0123456789abcdef0123';
const BASE = `http://127.0.0.1:4000/play/${SECRET}/`;

test('names are relative to the build, and none contains the secret', () => {
  const shorten = shortenNames(BASE);
  for (const [name, expected] of [
    [`play/${SECRET}/art/comet.png`, 'art/comet.png'],
    [`${BASE}game.js:3:4`, 'game.js:3:4'],
    [`${BASE}:3:4`, 'index.html:3:4'],
    [BASE, 'index.html'],
    [`frame play/${SECRET}/`, 'frame index.html'],
    [`update ${SECRET}:12`, 'update index.html:12'],
    [`127.0.0.1:4000/play/${SECRET}/a.js`, 'a.js'],
    ['comet.png', 'comet.png'],
    ['https://cdn.example/three.js', 'https://cdn.example/three.js'],
  ] as const) {
    assert.equal(shorten(name), expected);
  }
});

test('names of a page on the web stay', () => {
  assert.equal(shortenNames(null)('https://games.example/a.js'), 'https://games.example/a.js');
});
