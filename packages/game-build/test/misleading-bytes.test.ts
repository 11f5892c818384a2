// Files whose bytes resemble another format than their name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build, describe, WASM } from './describe-builds.ts';

test('text with the first bytes of gzip that cannot be decoded is served as plain bytes', async () => {
  const data = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.alloc(100, 'x')]);
  const { type, encoding, compressible, warnings } = await describe('a.js', data);
  assert.deepEqual(
    [type, encoding, compressible, warnings],
    ['application/octet-stream', null, false, ['encoding_invalid']],
  );
});

test('a name without a known type has no type to mismatch', async () => {
  assert.deepEqual((await describe('game.framework', 'var a = 1')).warnings, []);
  const module = await describe('game.code', WASM);
  assert.deepEqual([module.type, module.warnings], ['application/wasm', []]);
});

test('only WebAssembly declares shared memory', async () => {
  const declared = Buffer.from([5, 4, 1, 3, 1, 2]);
  assert.equal((await build({ 'a.wasm': Buffer.concat([WASM, declared]) })).threads, true);
  assert.equal(
    (await build({ 'a.dat': Buffer.concat([Buffer.alloc(8), declared]) })).threads,
    false,
  );
});
