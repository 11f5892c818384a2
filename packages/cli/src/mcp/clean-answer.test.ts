import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanAnswer, cleanText } from './clean-answer.ts';
import { STRING_LENGTH } from './limits.ts';

test('control and direction characters are escaped, and invisible ones are removed', () => {
  assert.equal(cleanText('a\u001b[2Jb\nc\td'), 'a\\x1b[2Jb\\nc\\td');
  assert.equal(cleanText('a\u202eb'), 'a\\u202eb');
  assert.equal(cleanText('a\u200bb\u{e0041}\u2028c\ufeff'), 'abc');
  assert.equal(cleanText('größe 4×4 日本'), 'größe 4×4 日本');
});

test('a string has STRING_LENGTH characters at most, also after its characters are escaped', () => {
  const most = 'x'.repeat(STRING_LENGTH);
  assert.equal(cleanText(most), most);
  assert.equal(cleanText(`${most}x`), `${most.slice(1)}…`);
  assert.equal(cleanText(`\u200b\u200b${most}`), `${most.slice(1)}…`);
  assert.equal(cleanText(`a\u200b${'b'.repeat(2 * STRING_LENGTH)}`).at(-1), '…');
  assert.equal(cleanText(`\u200b${most}`), most);
  assert.equal(cleanText('\u0001'.repeat(STRING_LENGTH)).length, STRING_LENGTH);
  assert.ok(cleanText('😀'.repeat(STRING_LENGTH)).isWellFormed());
  assert.ok(cleanText(`x${'😀'.repeat(STRING_LENGTH)}`).isWellFormed());
});

test('strings and numbers are cleaned at any depth', () => {
  assert.deepEqual(
    cleanAnswer({ a: [{ b: 'x\u0007', c: 1.23456789 }], d: 0.000123456, e: null, f: true }),
    { a: [{ b: 'x\\x07', c: 1.235 }], d: 0.000123, e: null, f: true },
  );
  assert.deepEqual(cleanAnswer([Number.POSITIVE_INFINITY, Number.NaN, -1.0005, 2 ** 53]), [
    0,
    0,
    -1,
    2 ** 53,
  ]);
});
