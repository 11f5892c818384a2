import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitName, tailOf } from './fit-name.ts';

test('tailOf returns the file, the last part of a qualified name, a position or the end of a hash', () => {
  for (const [name, tail] of [
    ['https://cdn.example/textures/rock.ktx2', '/rock.ktx2'],
    ['src/level.ts:12:3', '/level.ts:12:3'],
    ['C:\\game\\data.pak', '\\data.pak'],
    ['engine::module_1::Type<a::b>::run', '::run'],
    ['engine::run(std::vector<int>)', '::run(std::vector<int>)'],
    ['(anonymous namespace)::draw', '::draw'],
    ['Player.prototype.update', '.update'],
    ['update (main.js:12:3)', ':12:3)'],
    ['update (main:7', ':7'],
    ['wasm-function-0123456789abcdef', 'abcdef'],
    ['main.9f8e7d.js', '.js'],
  ] as const) {
    assert.equal(tailOf(name), tail, name);
  }
});

test('tailOf returns an empty text for a name without such an end', () => {
  const plain = ['', 'update', 'texture cache. Missed twice', '/', '/a', 'a/', '::', 'face0123'];
  assert.deepEqual(
    plain.map((name) => tailOf(name)),
    plain.map(() => ''),
  );
});

test('a name that fits is unchanged', () => {
  assert.equal(fitName('a/b.png', 7), 'a/b.png');
  assert.equal(fitName('', 0), '');
});

test('a path is cut in its middle, and its file stays whole while it fits', () => {
  const path = 'https://cdn.example/textures/rock.ktx2';
  for (const [room, shown] of [
    [37, 'https://cdn.example/textur…/rock.ktx2'],
    [20, 'https://c…/rock.ktx2'],
    [12, 'h…/rock.ktx2'],
    [11, '…rock.ktx2'],
    [10, '…rock.ktx2'],
    [9, 'rock…ktx2'],
    [4, 'ro…2'],
    [2, 'r…'],
    [1, '…'],
    [0, ''],
  ] as const) {
    assert.equal(fitName(path, room), shown, String(room));
    assert.ok(shown.length <= room);
  }
});

test('a name without such an end is cut at its end', () => {
  assert.equal(fitName('upload_texture', 8), 'upload_…');
  assert.equal(fitName('upload_texture', 8.9), 'upload_…');
});

test('no character is cut in half', () => {
  assert.equal(fitName('ab😀cd', 4), 'ab…');
  assert.equal(fitName('😀😀/bc', 5), '…/bc');
  assert.equal(fitName('x/abcd😀', 5), 'ab…😀');
  assert.equal(fitName('x/abcde😀', 4), 'ab…');
});

test('a very long name is shortened without a search of all of it', () => {
  const name = `${'a/'.repeat(30_000)}file.bin`;
  assert.equal(fitName(name, 14), 'a/a…/file.bin'.replace('a/a', 'a/a/'));
  assert.equal(tailOf(`x/${'y'.repeat(1000)}`), '');
});
