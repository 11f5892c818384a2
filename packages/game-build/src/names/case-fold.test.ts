import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missing, run } from '../../test/scratch.ts';
import { foldPath } from './case-fold.ts';

const PYTHON = `
import json, sys, unicodedata
def nfd(s): return unicodedata.normalize('NFD', s)
folds = {}
for code in range(0x20000):
    c = chr(code)
    if unicodedata.category(c) in ('Cn', 'Cs'): continue
    folds[c] = unicodedata.normalize('NFC', nfd(nfd(nfd(c).casefold()).casefold()))
json.dump(folds, sys.stdout)
`;

test('foldPath maps each character as the full case folding of Python does', {
  skip: missing('python3'),
}, () => {
  const ran = run('python3', ['-c', PYTHON]);
  assert.equal(ran.status, 0, ran.stderr);
  const folds = new Map(
    Object.entries(JSON.parse(ran.stdout.toString()) as Record<string, string>),
  );
  assert.ok(folds.size > 80_000);
  const classOf = (fold: (one: string) => string) => {
    const firsts = new Map<string, string>();
    return (one: string): string => {
      const key = fold(one);
      const first = firsts.get(key) ?? one;
      firsts.set(key, first);
      return first;
    };
  };
  const theirs = classOf((one) => folds.get(one) ?? one);
  const ours = classOf(foldPath);
  const differing = [...folds.keys()].filter((one) => theirs(one) !== ours(one));
  assert.deepEqual(
    differing.map((one) => one.codePointAt(0)?.toString(16)),
    [],
  );
});

test('foldPath keeps the slashes of a path', () => {
  assert.equal(foldPath('A/ß/É\u0338/K'), foldPath('a/SS/é\u0338/\u212a'));
  assert.equal(foldPath('a/\u0338b').split('/').length, 2);
});
