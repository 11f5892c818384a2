// The formats of WebGL textures and renderbuffers with their sizes. Three-channel formats count as four channels, because GPUs
// store them like that. Compressed formats count in whole blocks.
// Sources: OpenGL ES 3.0.6 tables 3.2, 3.13, 3.14; the WebGL extension registry; the Khronos data format registry.

import { formatOfName, makeFormat } from '../gpu/format-of-name.ts';
import type { Format } from '../gpu/texture-size.ts';

/** ASTC block sizes in the order of their enum values. */
const ASTC = '4x4 5x4 5x5 6x5 6x6 8x5 8x6 8x8 10x5 10x6 10x8 10x10 12x10 12x12';

/** Sized and compressed formats in runs "enum name name …", where each name has the next enum value. */
const RUNS = `8051 rgb8,8054 rgb16,8056 rgba4 rgb5-a1 rgba8 rgb10-a2,805b rgba16,81a5 depth16 depth24
8229 r8 r16 rg8 rg16 r16f r32f rg16f rg32f r8i r8ui r16i r16ui r32i r32ui rg8i rg8ui rg16i rg16ui rg32i rg32ui
83f0 bc1-rgb bc1 bc2 bc3,84f9 depth-stencil,87ee atc-rgba-interpolated,8814 rgba32f rgb32f,881a rgba16f rgb16f
88f0 depth24-stencil8,8c00 pvrtc-rgb-4bpp pvrtc-rgb-2bpp pvrtc-rgba-4bpp pvrtc-rgba-2bpp,8c3a r11f-g11f-b10f
8c3d rgb9-e5,8c40 srgb srgb8 srgb-alpha srgb8-alpha8,8c4c bc1-rgb-srgb bc1-srgb bc2-srgb bc3-srgb
8c92 atc-rgb atc-rgba,8cac depth32f depth32f-stencil8,8d48 stencil8,8d62 rgb565,8d64 etc1,8d70 rgba32ui rgb32ui
8d76 rgba16ui rgb16ui,8d7c rgba8ui rgb8ui,8d82 rgba32i rgb32i,8d88 rgba16i rgb16i,8d8e rgba8i rgb8i
8dbb bc4 bc4-snorm bc5 bc5-snorm,8e8c bc7 bc7-srgb bc6h bc6h-unsigned
8f94 r8snorm rg8snorm rgb8snorm rgba8snorm r16snorm rg16snorm rgb16snorm rgba16snorm,906f rgb10-a2ui
9270 eac-r11 eac-r11-snorm eac-rg11 eac-rg11-snorm etc2-rgb8 etc2-srgb8 etc2-rgb8a1 etc2-srgb8a1 etc2-rgba8 etc2-srgb8-alpha8
93b0 ${ASTC.replace(/\d+x/g, 'astc-$&')},93d0 ${ASTC.replace(/(\d+x\d+)/g, 'astc-$1-srgb')}`;

/** All sized formats by enum value. */
export const FORMATS: ReadonlyMap<number, Format> = new Map(
  RUNS.split(/[\n,]/).flatMap((run) => {
    const [first = '', ...names] = run.split(' ');
    return names.flatMap((name, at): [number, Format][] => {
      const format = formatOfName(name);
      return format === undefined ? [] : [[Number.parseInt(first, 16) + at, format]];
    });
  }),
);

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
  if (internal === DEPTH_COMPONENT) return makeFormat('depth', type === 5123 ? 2 : 4);
  const unsized = UNSIZED[internal];
  if (unsized === undefined) return undefined;
  const [name, channels] = unsized;
  if (PACKED_SHORTS.includes(type)) return makeFormat(name, 2);
  const bytes = CHANNEL_BYTES[type];
  return bytes === undefined ? undefined : makeFormat(name, channels * bytes);
}
