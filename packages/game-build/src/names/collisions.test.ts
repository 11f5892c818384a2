// Names of entries that collide on some file system, in any order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCollisions } from './collisions.ts';

/** The colliding names. */
const among = (...names: string[]): string[] => findCollisions(names).map(({ name }) => name);

test('a folder may be listed once, before or after its files', () => {
  assert.deepEqual(among('a/', 'a/b', 'a/c'), []);
  assert.deepEqual(among('a/b', 'a/', 'a/c'), []);
  assert.deepEqual(among('a/', 'a/b', 'a/'), ['a/']);
  assert.deepEqual(among('a/b', 'a/', 'a/'), ['a/']);
  assert.deepEqual(among('a/b', 'a/b'), ['a/b']);
});

test('a name is not a file and a folder, also if the folder is only part of a path', () => {
  assert.deepEqual(among('a', 'a/'), ['a/']);
  assert.deepEqual(among('a', 'a/b'), ['a/b']);
  assert.deepEqual(among('a/b', 'a'), ['a']);
  assert.deepEqual(among('a/b', 'A'), ['A']);
});

test('names that differ only by case or by the form of accents collide in every folder of a path', () => {
  assert.deepEqual(among('a/b', 'a/B'), ['a/B']);
  assert.deepEqual(among('a/b', 'A/c'), ['A/c']);
  assert.deepEqual(among('\u00e9/b', 'e\u0301/c'), ['e\u0301/c']);
  assert.deepEqual(among('a/b', 'ab', 'a b/c'), []);
});
