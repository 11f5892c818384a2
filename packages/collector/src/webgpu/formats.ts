// The size of WebGPU textures, computed from the name of the format: channels and bits, or the block size.
import { type Format, imageBytes, mipChainBytes } from '../gpu/texture-size.ts';

/** Formats whose name does not contain their bits. `depth24plus` counts as 4 bytes; its actual size depends on the browser. */
const BYTES: Readonly<Record<string, number>> = {
  stencil8: 1,
  depth16unorm: 2,
  depth24plus: 4,
  'depth24plus-stencil8': 4,
  depth32float: 4,
  'depth32float-stencil8': 8,
  rgb9e5ufloat: 4,
  rgb10a2unorm: 4,
  rgb10a2uint: 4,
  rg11b10ufloat: 4,
};
/** Formats with blocks of 8 bytes. All other block formats have 16. */
const EIGHT = /^(bc1|bc4|etc2-rgb8|eac-r11)/;

/** The format with this WebGPU name; undefined if unknown. */
export function formatOfName(name: string): Format | undefined {
  const make = (bytes: number, width = 1, height = 1): Format => ({
    name,
    bytes,
    width,
    height,
    fewest: 1,
  });
  const known = BYTES[name];
  if (known !== undefined) return make(known);
  if (/^(bc|etc2|eac)/.test(name)) return make(EIGHT.test(name) ? 8 : 16, 4, 4);
  const astc = /^astc-(\d+)x(\d+)/.exec(name);
  if (astc !== null) return make(16, Number(astc[1]), Number(astc[2]));
  const plain = /^(rgba|bgra|rg|r)(8|16|32)/.exec(name);
  if (plain === null) return undefined;
  const [, channels = '', bits = ''] = plain;
  return make((channels.length * Number(bits)) / 8);
}

/** The size and format of a `GPUTexture`. */
export type TextureShape = {
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly depthOrArrayLayers: number;
  readonly mipLevelCount: number;
  readonly sampleCount: number;
  readonly dimension: string;
};

/** Bytes of all mip levels, layers and samples; 0 if the format is unknown. */
export function textureBytes(shape: TextureShape): number {
  const format = formatOfName(shape.format);
  if (format === undefined) return 0;
  const { width, height, depthOrArrayLayers: depth, mipLevelCount, sampleCount, dimension } = shape;
  if (mipLevelCount === 1) return imageBytes(format, width, height, depth) * sampleCount;
  return (
    mipChainBytes(format, [width, height, depth], {
      levels: mipLevelCount,
      shrinkDepth: dimension === '3d',
    }) * sampleCount
  );
}
