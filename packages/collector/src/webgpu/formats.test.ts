// The bytes of WebGPU textures by format.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatOfName } from '../gpu/format-of-name.ts';
import { type TextureShape, textureBytes } from './formats.ts';

const shape = (format: string, rest: Partial<TextureShape> = {}): TextureShape => ({
  format,
  width: 120,
  height: 120,
  depthOrArrayLayers: 1,
  mipLevelCount: 1,
  sampleCount: 1,
  dimension: '2d',
  ...rest,
});

/** Formats by bytes per pixel. */
const PIXEL_BYTES: Readonly<Record<number, string>> = {
  1: 'r8unorm r8snorm r8uint r8sint stencil8',
  2: 'r16uint r16sint r16float rg8unorm rg8snorm rg8uint rg8sint depth16unorm',
  4: `r32uint r32sint r32float rg16uint rg16float rgba8unorm rgba8unorm-srgb rgba8snorm rgba8uint bgra8unorm
bgra8unorm-srgb rgb9e5ufloat rgb10a2uint rgb10a2unorm rg11b10ufloat depth24plus depth24plus-stencil8 depth32float`,
  8: 'rg32uint rg32float rgba16uint rgba16float depth32float-stencil8',
  16: 'rgba32uint rgba32sint rgba32float',
};

/** Compressed formats by the bytes of 120 × 120 pixels. */
const COMPRESSED: Readonly<Record<number, string>> = {
  7200: 'bc1-rgba-unorm bc1-rgba-unorm-srgb bc4-r-unorm etc2-rgb8unorm etc2-rgb8a1unorm-srgb eac-r11snorm',
  14400: `bc2-rgba-unorm bc3-rgba-unorm bc5-rg-snorm bc6h-rgb-ufloat bc7-rgba-unorm-srgb etc2-rgba8unorm eac-rg11unorm
astc-4x4-unorm`,
  11520: 'astc-5x4-unorm',
  7680: 'astc-6x5-unorm',
  3840: 'astc-10x6-unorm-srgb',
  1600: 'astc-12x12-unorm',
};

test('the bytes of a texture follow from its format', () => {
  for (const [bytes, names] of Object.entries(PIXEL_BYTES)) {
    for (const name of names.split(/\s/)) {
      assert.equal(textureBytes(shape(name)), Number(bytes) * 14_400, name);
    }
  }
  for (const [bytes, names] of Object.entries(COMPRESSED)) {
    for (const name of names.split(/\s/)) {
      assert.equal(textureBytes(shape(name)), Number(bytes), name);
    }
  }
});

test('an unknown format has 0 bytes', () => {
  for (const name of ['', 'unorm', 'x8unorm', 'rgb8unorm']) {
    assert.equal(formatOfName(name), undefined, name);
    assert.equal(textureBytes(shape(name)), 0, name);
  }
});

test('mip levels, layers, slices and samples count', () => {
  const rows: readonly (readonly [Partial<TextureShape>, number])[] = [
    [{ width: 16, height: 8, mipLevelCount: 5 }, (128 + 32 + 8 + 2 + 1) * 4],
    [{ width: 16, height: 8, mipLevelCount: 2 }, (128 + 32) * 4],
    [{ width: 8, height: 8, depthOrArrayLayers: 6 }, 64 * 6 * 4],
    [{ width: 8, height: 8, depthOrArrayLayers: 6, mipLevelCount: 2 }, (64 + 16) * 6 * 4],
    [
      { width: 8, height: 8, depthOrArrayLayers: 8, mipLevelCount: 4, dimension: '3d' },
      (512 + 64 + 8 + 1) * 4,
    ],
    [{ width: 10, height: 10, sampleCount: 4 }, 1_600],
  ];
  for (const [rest, bytes] of rows) {
    assert.equal(textureBytes(shape('rgba8unorm', rest)), bytes, JSON.stringify(rest));
  }
});
