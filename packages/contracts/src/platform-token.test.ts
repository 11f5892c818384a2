import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { drawTokenRandom, formatToken, isWellFormedToken } from './platform-token.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('formatToken ends with the CRC-32 of the randomness in base62', () => {
  for (let round = 0; round < 50; round++) {
    const random = drawTokenRandom(randomBytes);
    const token = formatToken(random);
    assert.match(token, /^svc_[0-9A-Za-z]{42}$/);
    const value = [...token.slice(-6)].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0);
    assert.equal(value, crc32(random));
    assert.ok(isWellFormedToken(token));
  }
});

test('formatToken is frozen: a known token stays the same', () => {
  assert.equal(formatToken('0'.repeat(36)), `svc_${'0'.repeat(36)}0etOEM`);
});

test('isWellFormedToken refuses what was cut, changed or lengthened', () => {
  const token = formatToken(drawTokenRandom(randomBytes));
  const other = token.at(-1) === '0' ? '1' : '0';
  for (const bad of ['', 'svc_', token.slice(0, -1), `${token}0`, token.slice(0, -1) + other]) {
    assert.equal(isWellFormedToken(bad), false, bad);
  }
});

test('drawTokenRandom uses every digit about equally often', () => {
  const counts = new Map<string, number>();
  for (let round = 0; round < 2000; round++) {
    for (const digit of drawTokenRandom(randomBytes)) {
      counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
  }
  assert.equal(counts.size, 62);
  const expected = (2000 * 36) / 62;
  for (const [digit, count] of counts) {
    assert.ok(Math.abs(count - expected) < expected * 0.25, `${digit}: ${count}`);
  }
});
