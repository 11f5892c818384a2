// The size of texture images in GPU memory, computed from the blocks of their format.

/** The name of a format and its blocks: `bytes` per `width` × `height` pixels (1 × 1 for uncompressed formats). */
export type Format = {
  readonly name: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  /** PVRTC stores at least 2 × 2 blocks. */
  readonly fewest: number;
};

/** Bytes of one image of `width` × `height` pixels and `depth` slices or layers; 0 for invalid sizes. */
export function imageBytes(format: Format, width: number, height: number, depth = 1): number {
  const bytes =
    Math.max(format.fewest, Math.ceil(width / format.width)) *
    Math.max(format.fewest, Math.ceil(height / format.height)) *
    format.bytes *
    depth;
  return width > 0 && height > 0 && Number.isSafeInteger(bytes) && bytes > 0 ? bytes : 0;
}

/** The mip levels `from` (0 if absent) to `levels - 1`. */
type MipChain = {
  readonly levels: number;
  readonly from?: number;
  /** Whether the depth halves too: in 3D textures, but not in arrays. */
  readonly shrinkDepth: boolean;
};

/** Bytes of the mip levels of a texture whose level 0 has the given width, height and depth. */
export function mipChainBytes(
  format: Format,
  [width, height, depth]: readonly [number, number, number],
  { levels, from = 0, shrinkDepth }: MipChain,
): number {
  let bytes = 0;
  for (let level = from; level < Math.min(levels, 32); level++) {
    bytes += imageBytes(
      format,
      Math.max(1, width >> level),
      Math.max(1, height >> level),
      shrinkDepth ? Math.max(1, depth >> level) : depth,
    );
  }
  return bytes;
}

/** The number of levels of a full mip chain. */
export function fullMipLevels(width: number, height: number, depth = 1): number {
  return Math.floor(Math.log2(Math.max(width, height, depth, 1))) + 1;
}
