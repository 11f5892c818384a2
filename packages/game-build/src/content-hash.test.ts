import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasContentHash } from './content-hash.ts';

test('hasContentHash sees what bundlers and engines write', () => {
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

test('hasContentHash keeps away from names that only look long', () => {
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
