// The size of the blocks of a texture format, computed from its name: channels and bits, or the block size. The names are those of
// WebGPU, and those of WebGL in `webgl/formats.ts`.
import type { Format } from './texture-size.ts';

/** Compressed formats with blocks of 8 bytes. All other compressed formats have 16. */
const EIGHT = /^(bc[14]|etc.-s?rgb8(?!-)|etc1|eac-r11|atc-rgb$|pvrtc)/;
/** Formats of which the number of bytes does not follow from channels and bits, by their bytes. */
const OTHERS: readonly (readonly [bytes: number, pattern: RegExp])[] = [
  [1, /^stencil/],
  [8, /^depth32f.*stencil/],
  [2, /^(depth16|rgb565|rgb5-|rgba4)/],
  // `depth24plus` counts as 4 bytes; its actual size depends on the browser.
  [4, /^(depth|rgb9|rgb10|rg11|r11|srgb($|-))/],
];

/** A format with blocks of one pixel, unless their size is given. */
export function makeFormat(
  name: string,
  bytes: number,
  width = 1,
  height = width,
  fewest = 1,
): Format {
  return { name, bytes, width, height, fewest };
}

/** The format with this name; undefined if unknown. Three channels count as four, because GPUs store them like that. */
export function formatOfName(name: string): Format | undefined {
  const make = (bytes: number, ...block: number[]) => makeFormat(name, bytes, ...block);
  if (/^(bc|e|atc|pvrtc)/.test(name)) {
    const isNarrow = !name.endsWith('2bpp');
    return make(EIGHT.test(name) ? 8 : 16, isNarrow ? 4 : 8, 4, name.startsWith('p') ? 2 : 1);
  }
  const astc = /^astc-(\d+)x(\d+)/.exec(name);
  if (astc !== null) return make(16, Number(astc[1]), Number(astc[2]));
  const plain = /^(?!rgb\d+unorm)s?(rgba?|bgra|rg|r)(8|16|32)/.exec(name);
  if (plain === null) {
    const bytes = OTHERS.find(([, pattern]) => pattern.test(name))?.[0];
    return bytes === undefined ? undefined : make(bytes);
  }
  const [, channels = '', bits = ''] = plain;
  return make(((channels === 'rgb' ? 4 : channels.length) * Number(bits)) / 8);
}
