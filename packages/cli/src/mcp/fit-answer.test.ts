import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitAnswer, fitText } from './fit-answer.ts';
import { ANSWER_BYTES, TEXT_BYTES } from './limits.ts';

const how = (kept: number): string => `offset ${kept}`;

test('an answer that fits keeps its rows, and states only what was left out before', () => {
  const rows = ['a', 'b'];
  assert.deepEqual(fitAnswer({ rows }, [{ part: 'rows', rows, total: 2, how }]), []);
  assert.deepEqual(fitAnswer({ rows }, [{ part: 'rows', rows, total: 5, how }]), [
    { part: 'rows', count: 3, how: 'offset 2' },
  ]);
  assert.deepEqual(rows, ['a', 'b']);
});

test('rows are removed from the end of the list with the most bytes, until the answer fits', () => {
  const long = Array.from({ length: 100 }, (_, index) => `${index} ${'ä'.repeat(200)}`);
  const short = ['x', 'y'];
  const answer = { long, short };
  const left = fitAnswer(answer, [
    { part: 'short', rows: short, total: 2, how },
    { part: 'long', rows: long, total: 100, how },
  ]);
  const bytes = Buffer.byteLength(JSON.stringify(answer));
  assert.ok(bytes <= ANSWER_BYTES - TEXT_BYTES, `${bytes}`);
  assert.ok(bytes > ANSWER_BYTES - TEXT_BYTES - 3000, `${bytes}`);
  assert.equal(long[0], `0 ${'ä'.repeat(200)}`);
  assert.equal(short.length, 2);
  assert.deepEqual(left, [
    { part: 'long', count: 100 - long.length, how: `offset ${long.length}` },
  ]);
});

test('text ends with a mark at the last line that fits', () => {
  assert.equal(fitText(['a', 'b']), 'a\nb');
  const text = fitText(Array.from({ length: 100 }, () => 'é'.repeat(100)));
  assert.ok(text.endsWith('é\n…'));
  assert.ok(Buffer.byteLength(text) <= TEXT_BYTES);
  assert.ok(Buffer.byteLength(text) > TEXT_BYTES - 300);
});
