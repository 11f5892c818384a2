import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAddress } from './find-address.ts';

test('builds of Unity and Flash are shown at the address of the game, all others at that of the release', () => {
  const cases = [
    [['index.html', 'Build/Moonhop.loader.js', 'Build/Moonhop.wasm.br'], 'game'],
    [['index.html', 'Build/UnityLoader.js'], 'game'],
    [['index.html', 'ruffle.js', 'old/moonhop.swf'], 'game'],
    [['index.html', 'game.js', 'loader.js', 'assets/loader.js.map', 'swf/readme.txt'], 'release'],
    [[], 'release'],
  ] as const;
  for (const [paths, address] of cases) {
    assert.equal(findAddress(paths.map((path) => ({ path }))), address, paths.join());
  }
});
