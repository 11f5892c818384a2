// How many bytes a WebGPU texture takes, worked out of the format's own name: channels and bits, or the block's size.
import { type Format, imageBytes, mipChainBytes } from '../gpu/texture-size.ts';

/** Names that do not spell out their bits. `depth24plus` is counted as 4 bytes: what it is, the browser decides. */
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
/** Blocks of eight bytes; all other block formats have sixteen. */
const EIGHT = /^(bc1|bc4|etc2-rgb8|eac-r11)/;

/** The format of a texture by its WebGPU name; undefined for a name that is none. */
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

/** The shape of a texture, as a `GPUTexture` tells it. */
export type TextureShape = {
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly depthOrArrayLayers: number;
  readonly mipLevelCount: number;
  readonly sampleCount: number;
  readonly dimension: string;
};

/** Bytes of all mip levels, layers and samples; 0 where the format is not known. */
export function textureBytes(shape: TextureShape): number {
  const format = formatOfName(shape.format);
  if (format === undefined) return 0;
  const { width, height, depthOrArrayLayers: depth, mipLevelCount, sampleCount, dimension } = shape;
  if (mipLevelCount === 1) return imageBytes(format, width, height, depth) * sampleCount;
  return (
    mipChainBytes(format, [width, height, depth], mipLevelCount, dimension === '3d') * sampleCount
  );
}
