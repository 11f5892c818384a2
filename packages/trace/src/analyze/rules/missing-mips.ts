// Large textures without mip levels: their size is exactly one level's.
import type { AssetRecord } from '../../format/records.ts';
import { MOST_EVIDENCE, type Rule } from '../findings/finding.ts';

/** Smaller ones, and user interfaces drawn one to one, do without. */
const SMALLEST_SIDE = 512;
const FEWEST_TEXTURES = 4;
/**
 * Bytes a pixel of formats that are not compressed, the first that fits, by the names of WebGL and WebGPU; three channels
 * are stored as four. Mip levels would make it 4/3 of that.
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
      'Drawn smaller than they are, they flicker and cost memory bandwidth, as every pixel is fetched from far apart. Generate mip levels for those that are drawn in the distance; leave those of the user interface as they are.',
    evidence: worst.map((asset) => ({
      label: `${asset.name} ${asset.dims?.slice(0, 2).join(' × ') ?? ''}`,
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
