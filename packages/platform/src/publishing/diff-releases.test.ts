import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffReleases } from './diff-releases.ts';

test('diffReleases compares files by path and content, and sorts each list by the bytes of the paths', () => {
  const files = (...list: string[]) =>
    list.map((one) => {
      const [path = '', hash = ''] = one.split('=');
      return { path, hash };
    });
  const before = files('z=1', 'é=1', 'a/b=1', 'B=1', 'b=1', 'moved=2', 'x=1', 'y=1');
  const after = files('y=2', 'b=1', 'new=2', '\u{10000}=1', '\uffee=1', 'B=1', 'x=2', 'a.c=9');
  assert.deepEqual(diffReleases(before, after), {
    // UTF-16 would put U+10000 before U+FFEE.
    new: ['a.c', 'new', '\uffee', '\u{10000}'],
    changed: ['x', 'y'],
    same: ['B', 'b'],
    gone: ['a/b', 'moved', 'z', 'é'],
  });
  assert.deepEqual(diffReleases([], []), { new: [], changed: [], same: [], gone: [] });
});
