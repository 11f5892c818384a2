import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findWords } from './check-prose.ts';

test('findWords returns the line, the word and its replacement', () => {
  const found = findWords(
    'a.md',
    'Plain.\nThe caller is told so.\nSo many bytes, and whoever asks.',
  );
  assert.deepEqual(found, [
    'a.md:2: "told": write report, return, say',
    'a.md:3: "So many": write the number of',
    'a.md:3: "whoever": write anyone who',
  ]);
});

test('findWords finds words in identifiers, and ignores longer words that contain one', () => {
  const found = (text: string): number => findWords('a.ts', text).length;
  assert.equal(found('const toldFaults = untold;'), 1);
  assert.equal(found('if (untold) return;'), 1);
  assert.equal(found('the time tells two processes apart'), 0);
  assert.equal(found('Tolder, the stold, tell'), 0);
});
