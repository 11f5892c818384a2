import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { drawTokenRandom, formatToken, isWellFormedToken } from './token.ts';

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

test('formatToken returns a known token for known input', () => {
  assert.equal(formatToken('0'.repeat(36)), `svc_${'0'.repeat(36)}0etOEM`);
});

test('isWellFormedToken rejects a truncated, changed or extended token', () => {
  const token = formatToken(drawTokenRandom(randomBytes));
  const changed = (at: number): string => {
    const other = token[at] === '0' ? '1' : '0';
    return token.slice(0, at) + other + token.slice(at + 1);
  };
  for (let at = 0; at < token.length; at++)
    assert.equal(isWellFormedToken(changed(at)), false, `${at}`);
  for (const bad of [
    ...['', 'svc_', token.slice(0, -1), token.slice(1), `${token}0`, ` ${token}`, `${token}\n`],
    `${token.slice(0, 10)}_${token.slice(11)}`,
    token.replace('svc_', 'SVC_'),
    // The random part and its checksum, with extra characters between them.
    `${token.slice(0, 40)}0${token.slice(40)}`,
    `${token.slice(0, 40)}svc_${'0'.repeat(36)}${token.slice(40)}`,
  ]) {
    assert.equal(isWellFormedToken(bad), false, bad);
  }
});

test('drawTokenRandom maps the same number of bytes to each digit, and discards some bytes', () => {
  const counts = new Map<string, number>();
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  for (const byte of all) {
    // One byte of one digit, then bytes of another digit.
    const source = [Uint8Array.of(byte), new Uint8Array(72).fill(0)];
    const [first = ''] = drawTokenRandom(() => source.shift() ?? new Uint8Array(72).fill(0));
    counts.set(first, (counts.get(first) ?? 0) + (byte < 248 ? 1 : 0));
    if (byte >= 248) assert.equal(first, '0', String(byte));
  }
  assert.deepEqual([...counts.keys()].join(''), DIGITS);
  assert.deepEqual([...new Set(counts.values())], [4]);
});

test('drawTokenRandom requests bytes until it has 36 characters, and uses them in their order', () => {
  const asked: number[] = [];
  const drawn = drawTokenRandom((count) => {
    asked.push(count);
    return Uint8Array.from({ length: count }, (_, i) => (i % 3 === 0 ? 255 : i));
  });
  assert.deepEqual(asked, [72]);
  const kept = Array.from({ length: 72 }, (_, i) => i).filter((i) => i % 3 !== 0);
  assert.equal(
    drawn,
    kept
      .slice(0, 36)
      .map((i) => DIGITS[i % 62])
      .join(''),
  );
  let left = 3;
  const refused = (): Uint8Array => new Uint8Array(72).fill(left-- > 0 ? 250 : 1);
  assert.equal(drawTokenRandom(refused), '1'.repeat(36));
});

test('formatToken rejects input that is not 36 base62 characters', () => {
  const least = '0aZ'.repeat(12);
  assert.ok(isWellFormedToken(formatToken(least)));
  for (const random of [
    '',
    least.slice(1),
    `${least}0`,
    `${least.slice(1)}_`,
    `${least.slice(1)}é`,
    `${least}\n`,
  ]) {
    assert.throws(() => formatToken(random), RangeError, random);
  }
});
