import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryCache } from './memory-cache.ts';

const cacheOf = (bytes: number) => createMemoryCache<string, string>(bytes, ({ length }) => length);

test('a cache keeps up to its limit, and drops the least recently used value first', () => {
  const cache = cacheOf(10);
  cache.set('a', 'aaaa');
  cache.set('b', 'bbbb');
  cache.set('c', 'cc');
  assert.deepEqual([cache.get('b'), cache.get('c'), cache.get('a')], ['bbbb', 'cc', 'aaaa']);
  cache.set('d', 'd');
  assert.equal(cache.get('b'), undefined, 'it was asked for before the others');
  assert.deepEqual([cache.get('c'), cache.get('a'), cache.get('d')], ['cc', 'aaaa', 'd']);
});

test('a dropped value frees its bytes, and a value is counted once', () => {
  const cache = cacheOf(10);
  for (let times = 0; times < 5; times++) cache.set('a', 'aaaa');
  cache.set('b', 'bbbbbb');
  assert.deepEqual([cache.get('a'), cache.get('b')], ['aaaa', 'bbbbbb']);
  cache.set('c', 'cccccccc');
  assert.deepEqual([cache.get('a'), cache.get('b')], [undefined, undefined]);
  cache.set('d', 'dd');
  assert.deepEqual([cache.get('c'), cache.get('d')], ['cccccccc', 'dd']);
});

test('a value that is larger than the cache is not kept', () => {
  const cache = cacheOf(3);
  cache.set('a', 'aaaa');
  assert.equal(cache.get('a'), undefined);
  cache.set('b', 'bbb');
  assert.equal(cache.get('b'), 'bbb');
});
