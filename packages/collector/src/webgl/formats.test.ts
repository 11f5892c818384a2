// Formats that no browser here offers, by their tables: PVRTC and ATC; and sizes that are none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORMATS, formatOf, fullMipLevels, imageBytes, mipChainBytes } from './formats.ts';

const bytesOf = (internal: number, width: number, height: number): number => {
  const format = formatOf(internal);
  assert.ok(format);
  return imageBytes(format, width, height);
};

test('imageBytes of PVRTC takes whole blocks, at least two by two', () => {
  assert.equal(bytesOf(0x8c00, 64, 64), 2_048); // RGB 4 bpp: 16 × 16 blocks of 8
  assert.equal(bytesOf(0x8c02, 64, 64), 2_048);
  assert.equal(bytesOf(0x8c01, 64, 64), 1_024); // RGB 2 bpp: 8 × 16 blocks of 8
  assert.equal(bytesOf(0x8c03, 64, 64), 1_024);
  assert.equal(bytesOf(0x8c00, 4, 4), 32);
  assert.equal(bytesOf(0x8c01, 1, 1), 32);
});

test('imageBytes of ATC takes 4 × 4 blocks', () => {
  assert.equal(bytesOf(0x8c92, 60, 60), 1_800);
  assert.equal(bytesOf(0x8c93, 60, 60), 3_600);
  assert.equal(bytesOf(0x87ee, 60, 60), 3_600);
});

test('every format has a name of its own', () => {
  const names = [...FORMATS.values()].map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.length > 120);
});

test('sizes that are none take nothing', () => {
  const format = formatOf(0x8058);
  assert.ok(format);
  for (const size of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e12])
    assert.equal(imageBytes(format, size, size), 0);
  assert.equal(mipChainBytes(format, [4, 4, 1], 1e9, false), 64 + 16 + 4 * 30);
  assert.equal(fullMipLevels(4096, 1), 13);
  assert.equal(formatOf(0xdead), undefined);
});
