// Paths of sources lose what bundlers and machines add.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanSource } from './clean-source.ts';

test('a source is shown without the prefix of the bundler, parents, queries and private folders', () => {
  for (const [source, shown] of [
    ['../../src/game.ts', 'src/game.ts'],
    ['./src/./a/../game.ts', 'src/game.ts'],
    ['webpack://game/./src/a.ts?a1b2', 'src/a.ts'],
    ['webpack:///./src/a.ts', 'src/a.ts'],
    ['webpack://@scope/game/../node_modules/three/x.js', 'node_modules/three/x.js'],
    ['/home/jane/game/src/a.ts', 'a.ts'],
    ['webpack:////home/jane/game/src/a.ts', 'a.ts'],
    ['file:///home/jane/game/src/a.ts', 'a.ts'],
    ['C:\\games\\src\\a.ts', 'a.ts'],
    ['~/game/a.ts', 'a.ts'],
    ['..\\src\\a.ts', 'src/a.ts'],
    ['../../../home/jane/game/src/a.ts', 'a.ts'],
    ['../../Users/Jane/game/src/a.ts', 'a.ts'],
    ['https://jane:pw@cdn.example/lib/a.js?key=1#x', 'https://cdn.example/lib/a.js'],
    ['a\u0000b\u001b[31m.ts', 'ab[31m.ts'],
    ['src/a\u202eb.ts', 'src/ab.ts'],
    ['', '(unknown)'],
    ['..', '(unknown)'],
  ] as const) {
    assert.equal(cleanSource(source), shown, source);
  }
});

test('a relative root of the map is part of the path, an absolute one is not', () => {
  assert.equal(cleanSource('a.ts', 'src/'), 'src/a.ts');
  assert.equal(cleanSource('a.ts', '/home/jane/game/'), 'a.ts');
  assert.equal(cleanSource('src/a.ts', 'https://cdn.example/x'), 'src/a.ts');
  assert.equal(cleanSource('/abs/a.ts', 'src'), 'a.ts');
});
