// The formats of WebGL textures and renderbuffers with their sizes. Three-channel formats count as four channels, because GPUs
// store them like that. Compressed formats count in whole blocks.
// Sources: OpenGL ES 3.0.6 tables 3.2, 3.13, 3.14; the WebGL extension registry; the Khronos data format registry.

import type { Format } from '../gpu/texture-size.ts';

const sized = (name: string, bytes: number): Format => ({
  name,
  bytes,
  width: 1,
  height: 1,
  fewest: 1,
});
const block = (name: string, bytes: number, size: Partial<Format> = {}): Format => ({
  ...{ name, bytes, width: 4, height: 4, fewest: 1 },
  ...size,
});

/** ASTC block sizes in the order of their enum values from 0x93B0, and from 0x93D0 for sRGB. */
const ASTC = '4x4 5x4 5x5 6x5 6x6 8x5 8x6 8x8 10x5 10x6 10x8 10x10 12x10 12x12'.split(' ');

/** Sized formats as "enum name bytes". */
const SIZED = `8229 r8 1,8f94 r8snorm 1,8232 r8ui 1,8231 r8i 1,822d r16f 2,8234 r16ui 2,8233 r16i 2,822e r32f 4
8236 r32ui 4,8235 r32i 4,822b rg8 2,8f95 rg8snorm 2,8238 rg8ui 2,8237 rg8i 2,822f rg16f 4,823a rg16ui 4,8239 rg16i 4
8230 rg32f 8,823c rg32ui 8,823b rg32i 8,8051 rgb8 4,8c41 srgb8 4,8f96 rgb8snorm 4,8d7d rgb8ui 4,8d8f rgb8i 4
8d62 rgb565 2,8c3a r11f-g11f-b10f 4,8c3d rgb9-e5 4,881b rgb16f 8,8d77 rgb16ui 8,8d89 rgb16i 8,8815 rgb32f 16
8d71 rgb32ui 16,8d83 rgb32i 16,8058 rgba8 4,8c43 srgb8-alpha8 4,8f97 rgba8snorm 4,8d7c rgba8ui 4,8d8e rgba8i 4
8057 rgb5-a1 2,8056 rgba4 2,8059 rgb10-a2 4,906f rgb10-a2ui 4,881a rgba16f 8,8d76 rgba16ui 8,8d88 rgba16i 8
8814 rgba32f 16,8d70 rgba32ui 16,8d82 rgba32i 16,81a5 depth16 2,81a6 depth24 4,8cac depth32f 4
88f0 depth24-stencil8 4,8cad depth32f-stencil8 8,8d48 stencil8 1,84f9 depth-stencil 4,8c40 srgb 4,8c42 srgb-alpha 4
822a r16 2,822c rg16 4,8054 rgb16 8,805b rgba16 8,8f98 r16snorm 2,8f99 rg16snorm 4,8f9a rgb16snorm 8,8f9b rgba16snorm 8`;

/** Compressed formats with 4 × 4 blocks as "enum name bytes". */
const BLOCKS = `83f0 bc1-rgb 8,83f1 bc1 8,83f2 bc2 16,83f3 bc3 16,8c4c bc1-rgb-srgb 8,8c4d bc1-srgb 8,8c4e bc2-srgb 16
8c4f bc3-srgb 16,8dbb bc4 8,8dbc bc4-snorm 8,8dbd bc5 16,8dbe bc5-snorm 16,8e8c bc7 16,8e8d bc7-srgb 16,8e8e bc6h 16
8e8f bc6h-unsigned 16,8d64 etc1 8,9270 eac-r11 8,9271 eac-r11-snorm 8,9272 eac-rg11 16,9273 eac-rg11-snorm 16
9274 etc2-rgb8 8,9275 etc2-srgb8 8,9276 etc2-rgb8a1 8,9277 etc2-srgb8a1 8,9278 etc2-rgba8 16,9279 etc2-srgb8-alpha8 16
8c92 atc-rgb 8,8c93 atc-rgba 16,87ee atc-rgba-interpolated 16`;

/** All sized formats by enum value. */
export const FORMATS: ReadonlyMap<number, Format> = new Map([
  ...rows(SIZED, sized),
  ...rows(BLOCKS, block),
  ...ASTC.flatMap((footprint, at): [number, Format][] => {
    const [width = 4, height = 4] = footprint.split('x').map(Number);
    return [
      [0x93b0 + at, block(`astc-${footprint}`, 16, { width, height })],
      [0x93d0 + at, block(`astc-${footprint}-srgb`, 16, { width, height })],
    ];
  }),
  [0x8c00, block('pvrtc-rgb-4bpp', 8, { fewest: 2 })],
  [0x8c02, block('pvrtc-rgba-4bpp', 8, { fewest: 2 })],
  [0x8c01, block('pvrtc-rgb-2bpp', 8, { width: 8, fewest: 2 })],
  [0x8c03, block('pvrtc-rgba-2bpp', 8, { width: 8, fewest: 2 })],
]);

function rows(table: string, make: (name: string, bytes: number) => Format): [number, Format][] {
  return table.split(/[\n,]/).map((row) => {
    const [value = '', name = '', bytes = ''] = row.split(' ');
    return [Number.parseInt(value, 16), make(name, Number(bytes))];
  });
}

/** Name and stored channels of unsized formats. */
const UNSIZED: Readonly<Record<number, readonly [string, number]>> = {
  6403: ['red', 1],
  6406: ['alpha', 1],
  6407: ['rgb', 4],
  6408: ['rgba', 4],
  6409: ['luminance', 1],
  6410: ['luminance-alpha', 2],
  33319: ['rg', 2],
};
/** Bytes per channel by data type: bytes, shorts, ints, floats, half floats (two values). */
const CHANNEL_BYTES: Readonly<Record<number, number>> = {
  5120: 1,
  5121: 1,
  5122: 2,
  5123: 2,
  5124: 4,
  5125: 4,
  5126: 4,
  5131: 2,
  36193: 2,
};
const DEPTH_COMPONENT = 0x1902;
/** Types that pack a pixel into two bytes: 5-6-5, 4-4-4-4, 5-5-5-1. */
const PACKED_SHORTS = [0x8363, 0x8033, 0x8034];

/** The format of an internal format of texImage. The data type matters only for unsized formats. Undefined if unknown. */
export function formatOf(internal: number, type = 5121): Format | undefined {
  const known = FORMATS.get(internal);
  if (known !== undefined) return known;
  if (internal === DEPTH_COMPONENT) return sized('depth', type === 5123 ? 2 : 4);
  const unsized = UNSIZED[internal];
  if (unsized === undefined) return undefined;
  const [name, channels] = unsized;
  if (PACKED_SHORTS.includes(type)) return sized(name, 2);
  const bytes = CHANNEL_BYTES[type];
  return bytes === undefined ? undefined : sized(name, channels * bytes);
}
