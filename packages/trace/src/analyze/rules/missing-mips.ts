// Large textures without mip levels: their size is exactly the size of one level.
import { nameText } from '../../derive/facts/number-text.ts';
import type { AssetRecord } from '../../format/records.ts';
import { MOST_EVIDENCE, type Rule } from '../findings/finding.ts';

/** Smaller textures do not need mip levels. */
const SMALLEST_SIDE = 512;
const FEWEST_TEXTURES = 4;
/**
 * Bytes per pixel of uncompressed formats by their names in WebGL and WebGPU; the first match counts. Three channels are stored
 * as four. With mip levels a texture takes 4/3 of its first level.
 */
const PIXEL_BYTES: readonly (readonly [RegExp, number])[] = [
  [/^(?:rgb565|rgb5[-_]a1|rgba4)/i, 2],
  [/^(?:r11f|rg11)/i, 4],
  [/^rgba?32/i, 16],
  [/^rgba?16/i, 8],
  [/^(?:s?rgb|bgra8)/i, 4],
  [/^rg32/i, 8],
  [/^(?:rg16|r32)/i, 4],
  [/^(?:rg8|r16)/i, 2],
  [/^r8/i, 1],
];

export const missingMips: Rule = ({ model }) => {
  const flat = model.assets.filter(isFlat);
  const textures = [
    ...new Map(flat.map((asset) => [JSON.stringify([asset.source, asset.id]), asset])).values(),
  ];
  if (textures.length < FEWEST_TEXTURES) return null;
  const worst = textures
    .toSorted((a, b) => (b.gpu_bytes ?? 0) - (a.gpu_bytes ?? 0))
    .slice(0, MOST_EVIDENCE);
  return {
    id: 'missing_mips',
    severity: 'info',
    title: `${textures.length} large textures have no mip levels`,
    detail:
      'Textures without mip levels flicker when they are drawn smaller than their size, and cost memory bandwidth. Generate mip levels for textures that are drawn at a distance. Textures of the user interface do not need them.',
    evidence: worst.map((asset) => ({
      label: `${nameText(asset.name)} ${asset.dims?.slice(0, 2).join(' × ') ?? ''}`,
      value: asset.gpu_bytes ?? 0,
      unit: 'bytes',
      t: asset.t,
    })),
    impact: textures.length / 100,
  };
};

function isFlat({ kind, phase, dims, format, gpu_bytes }: AssetRecord): boolean {
  const [width = 0, height = 0, layers = 1] = dims ?? [];
  const pixel = PIXEL_BYTES.find(([pattern]) => pattern.test(format ?? ''))?.[1];
  if (kind !== 'texture' || phase !== 'upload' || pixel === undefined) return false;
  if (Math.min(width, height) < SMALLEST_SIDE) return false;
  return gpu_bytes === width * height * layers * pixel;
}
