// The size of WebGPU textures.
import { formatOfName } from '../gpu/format-of-name.ts';
import { mipChainBytes } from '../gpu/texture-size.ts';

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
  return (
    mipChainBytes(format, [width, height, depth], {
      levels: mipLevelCount,
      shrinkDepth: dimension === '3d',
    }) * sampleCount
  );
}
