import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasContentHash } from './hashed-name.ts';

test('hasContentHash recognizes the names of bundlers and engines', () => {
  for (const path of [
    'assets/index-DkZ3xQ9p.js',
    'assets/index-DkZ3xQ9p.js.map',
    'a1b2c3d4.chunk.js',
    'main.8f3a2b1c9d.css',
    'Build/0123456789abcdef0123456789abcdef.data.br',
    'Build/9e107d9d372bb6826bd81d3542a419d6.loader.js',
    'img/hero-B3x_9aZq.png',
  ]) {
    assert.equal(hasContentHash(path), true, path);
  }
});

test('hasContentHash checks the length of a hash, its letters and digits, and its place in the name', () => {
  const hex = (length: number): string => 'a1b2c3d4'.repeat(9).slice(0, length);
  const rows: [path: string, hashed: boolean][] = [
    [`a.${hex(7)}.js`, false],
    [`a.${hex(8)}.js`, true],
    [`a.${hex(64)}.js`, true],
    [`a.${hex(65)}.js`, false],
    ['a.A1B2C3D4.js', true],
    ['a.A1b2C3d4e.js', false],
    ['a.a1b2c3dg.js', false],
    // At least two letters and two digits.
    ['a.aaaaaaa1.js', false],
    ['a.aaaaaa12.js', true],
    ['a.1234567a.js', false],
    ['a.123456ab.js', true],
    ...['-', '.', '_', '~'].map((dash): [string, boolean] => [`a${dash}${hex(8)}.js`, true]),
    [`a+${hex(8)}.js`, false],
    [`a.js.${hex(8)}`, false],
    // Eight characters of base64url: both cases and digits, with at least four changes between them.
    ['a-aB1cD2eF.js', true],
    ['a.aB1cD2eF.js', true],
    ['a_aB1cD2eF.js', false],
    ['a-aB1cD2e.js', false],
    ['a-aB1cD2eFg.js', false],
    ['a-aaBB11cc.js', false],
    ['a-aaBBcc11.js', false],
    ['a-aaBBccD1.js', true],
    ['a-aBaBaBaB.js', false],
    ['a-a1b2g3h4.js', false],
    ['a-A1B2G3H4.js', false],
    ['a-aB1cD2eF', false],
    ['a-aB1cD2eF.JS', false],
    ...['br', 'gz', 'unityweb', 'map', 'map.br'].map((ending): [string, boolean] => {
      return [`a-aB1cD2eF.js.${ending}`, true];
    }),
    ['a-aB1cD2eF.js.txt', false],
    ['aB1cD2eF.js', false],
  ];
  for (const [path, hashed] of rows) assert.equal(hasContentHash(path), hashed, path);
});

test('hasContentHash rejects names that are only long', () => {
  for (const path of [
    'index.html',
    'player-animated.png',
    'level-00000001.json',
    'shot-20240101.png',
    'Hero-Level01A.png',
    'deadbeef.bin',
    'facade-effaced.png',
    'phaser-3.80.1.min.js',
    'a1b2c3d4',
    '0123456789abcdef/level.json',
  ]) {
    assert.equal(hasContentHash(path), false, path);
  }
});
