// The sizes of textures by format: sized and unsized formats, blocks, mip chains, and invalid sizes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullMipLevels, imageBytes, mipChainBytes } from '../gpu/texture-size.ts';
import { FORMATS, formatOf } from './formats.ts';

const bytesOf = (internal: number, width: number, height: number): number => {
  const format = formatOf(internal);
  assert.ok(format);
  return imageBytes(format, width, height);
};

test('PVRTC images have whole blocks, at least two by two', () => {
  assert.equal(bytesOf(0x8c00, 64, 64), 2_048); // RGB 4 bpp: 16 × 16 blocks of 8
  assert.equal(bytesOf(0x8c02, 64, 64), 2_048);
  assert.equal(bytesOf(0x8c01, 64, 64), 1_024); // RGB 2 bpp: 8 × 16 blocks of 8
  assert.equal(bytesOf(0x8c03, 64, 64), 1_024);
  assert.equal(bytesOf(0x8c00, 4, 4), 32);
  assert.equal(bytesOf(0x8c01, 1, 1), 32);
  for (const internal of [0x8c01, 0x8c03]) assert.equal(bytesOf(internal, 72, 16), 9 * 4 * 8);
});

test('ATC images have whole blocks of 4 × 4 pixels', () => {
  assert.equal(bytesOf(0x8c92, 60, 60), 1_800);
  assert.equal(bytesOf(0x8c93, 60, 60), 3_600);
  assert.equal(bytesOf(0x87ee, 60, 60), 3_600);
});

test('every format has a unique name', () => {
  const names = [...FORMATS.values()].map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.length > 120);
});

test('invalid sizes have 0 bytes', () => {
  const format = formatOf(0x8058);
  assert.ok(format);
  for (const size of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e12])
    assert.equal(imageBytes(format, size, size), 0);
  assert.equal(
    mipChainBytes(format, [4, 4, 1], { levels: 1e9, shrinkDepth: false }),
    64 + 16 + 4 * 30,
  );
  assert.equal(fullMipLevels(4096, 1), 13);
  assert.equal(formatOf(0xdead), undefined);
});

/** Enum values of sized formats by their bytes per pixel on a GPU, which stores three channels as four. */
const PIXEL_BYTES: Readonly<Record<number, string>> = {
  1: '8229 8f94 8232 8231 8d48',
  2: '822d 8234 8233 822b 8f95 8238 8237 8d62 8057 8056 81a5 822a 8f98',
  4: `822e 8236 8235 822f 823a 8239 8051 8c41 8f96 8d7d 8d8f 8c3a 8c3d 8058 8c43 8f97 8d7c 8d8e 8059 906f 81a6 8cac 88f0
84f9 8c40 8c42 822c 8f99`,
  8: '8230 823c 823b 881b 8d77 8d89 881a 8d76 8d88 8cad 8054 805b 8f9a 8f9b',
  16: '8815 8d71 8d83 8814 8d70 8d82',
};

test('sized formats have the bytes of their pixels', () => {
  for (const [bytes, values] of Object.entries(PIXEL_BYTES)) {
    for (const value of values.split(/\s/)) {
      assert.equal(bytesOf(Number.parseInt(value, 16), 10, 7), Number(bytes) * 70, value);
    }
  }
});

/** Enum values of formats with 4 × 4 blocks by their bytes per block. */
const BLOCK_BYTES: Readonly<Record<number, string>> = {
  8: '83f0 83f1 8c4c 8c4d 8dbb 8dbc 8d64 9270 9271 9274 9275 9276 9277 8c92',
  16: '83f2 83f3 8c4e 8c4f 8dbd 8dbe 8e8c 8e8d 8e8e 8e8f 9272 9273 9278 9279 8c93 87ee',
};

test('formats of 4 × 4 blocks have whole blocks', () => {
  for (const [bytes, values] of Object.entries(BLOCK_BYTES)) {
    for (const value of values.split(' ')) {
      assert.equal(bytesOf(Number.parseInt(value, 16), 9, 5), Number(bytes) * 3 * 2, value);
    }
  }
});

/** The bytes of 60 × 60 pixels in each block size of ASTC, from 4 × 4 to 12 × 12. */
const ASTC_BYTES = [3600, 2880, 2304, 1920, 1600, 1536, 1280, 1024, 1152, 960, 768, 576, 480, 400];

test('ASTC formats have 16 bytes per block, sRGB or not', () => {
  for (const [at, bytes] of ASTC_BYTES.entries()) {
    assert.equal(bytesOf(0x93b0 + at, 60, 60), bytes, `footprint ${at}`);
    assert.equal(bytesOf(0x93d0 + at, 60, 60), bytes, `sRGB footprint ${at}`);
  }
  assert.equal(formatOf(0x93b0 + ASTC_BYTES.length), undefined);
});

test('the size of an unsized format depends on the type of the data', () => {
  const rows: readonly (readonly [internal: number, type: number, bytes: number])[] = [
    [0x1903, 0x1401, 1], // RED
    [0x1903, 0x140b, 2],
    [0x1903, 0x1406, 4],
    [0x1906, 0x1401, 1], // ALPHA
    [0x1906, 0x1406, 4],
    [0x1907, 0x1401, 4], // RGB
    [0x1907, 0x8363, 2],
    [0x1907, 0x8d61, 8],
    [0x1907, 0x1406, 16],
    [0x1908, 0x1400, 4], // RGBA
    [0x1908, 0x1401, 4],
    [0x1908, 0x1402, 8],
    [0x1908, 0x1403, 8],
    [0x1908, 0x1404, 16],
    [0x1908, 0x1405, 16],
    [0x1908, 0x1406, 16],
    [0x1908, 0x140b, 8],
    [0x1908, 0x8d61, 8],
    [0x1908, 0x8033, 2],
    [0x1908, 0x8034, 2],
    [0x1909, 0x1401, 1], // LUMINANCE
    [0x190a, 0x1401, 2], // LUMINANCE_ALPHA
    [0x8227, 0x1401, 2], // RG
    [0x8227, 0x140b, 4],
    [0x1902, 0x1403, 2], // DEPTH_COMPONENT
    [0x1902, 0x1405, 4],
    [0x84f9, 0x84fa, 4], // DEPTH_STENCIL
  ];
  for (const [internal, type, bytes] of rows) {
    const format = formatOf(internal, type);
    const what = `${internal.toString(16)} of ${type.toString(16)}`;
    assert.equal(format && imageBytes(format, 3, 2), bytes * 6, what);
  }
  assert.equal(formatOf(0x1908)?.bytes, 4, 'without a type, bytes are assumed');
  assert.deepEqual(
    [0x1902, 0x1903, 0x1906, 0x1907, 0x1908, 0x1909, 0x190a, 0x8227].map(
      (internal) => formatOf(internal)?.name,
    ),
    ['depth', 'red', 'alpha', 'rgb', 'rgba', 'luminance', 'luminance-alpha', 'rg'],
  );
  assert.equal(formatOf(0x1908, 0xdead), undefined);
});

test('an image without width or height has 0 bytes in every format', () => {
  for (const internal of [0x8058, 0x83f0, 0x8c00]) {
    const format = formatOf(internal);
    assert.ok(format);
    assert.deepEqual(
      [
        [0, 4],
        [4, 0],
        [-4, -4],
        [4, Number.NaN],
      ].map(([width = 0, height = 0]) => imageBytes(format, width, height)),
      [0, 0, 0, 0],
    );
    assert.equal(imageBytes(format, 4, 4, 0), 0);
    assert.equal(imageBytes(format, 4, 4, 3), 3 * imageBytes(format, 4, 4));
  }
});

test('a mip chain halves each side down to one pixel, and the depth of a 3D texture but not of layers', () => {
  const format = formatOf(0x8229);
  assert.ok(format);
  assert.equal(
    mipChainBytes(format, [16, 4, 1], { levels: 5, shrinkDepth: false }),
    64 + 16 + 4 + 2 + 1,
  );
  assert.equal(
    mipChainBytes(format, [8, 8, 8], { levels: 4, shrinkDepth: true }),
    512 + 64 + 8 + 1,
  );
  assert.equal(
    mipChainBytes(format, [8, 8, 6], { levels: 4, shrinkDepth: false }),
    (64 + 16 + 4 + 1) * 6,
  );
  assert.equal(mipChainBytes(format, [8, 8, 1], { levels: 4, shrinkDepth: false, from: 2 }), 4 + 1);
  assert.equal(mipChainBytes(format, [8, 8, 1], { levels: 2, shrinkDepth: false, from: 2 }), 0);
  const levels: readonly (readonly [number, number, number, number])[] = [
    [1, 1, 1, 1],
    [2, 1, 1, 2],
    [255, 3, 1, 8],
    [1, 256, 1, 9],
    [4, 4, 16, 5],
    [0, 0, 0, 1],
  ];
  for (const [width, height, depth, count] of levels) {
    assert.equal(fullMipLevels(width, height, depth), count, `${width} × ${height} × ${depth}`);
  }
});
