// Textures that are uncompressed on the GPU, or larger than a screen.

import { isCompressed } from '../../derive/assets/asset-advice.ts';
import { bytesText, nameText } from '../../derive/facts/number-text.ts';
import type { AssetRecord } from '../../format/records.ts';
import { MOST_EVIDENCE, type Rule } from '../findings/finding.ts';

/** An eighth of the memory that a small phone gives a page. */
const UNCOMPRESSED_BYTES = 64 * 1_048_576;
/** A 4K screen shows no more pixels per side. */
const LONGEST_SIDE = 4096;

export const textureMemory: Rule = ({ model }) => {
  const latest = new Map<string, AssetRecord>();
  for (const asset of model.assets) {
    if (asset.kind !== 'texture' || asset.gpu_bytes === undefined) continue;
    latest.set(`${asset.source} ${JSON.stringify(asset.id)}`, asset);
  }
  const plain = [...latest.values()].filter(
    (asset) => asset.format !== undefined && !isCompressed(asset.format),
  );
  const oversized = [...latest.values()].filter(
    (asset) => Math.max(asset.dims?.[0] ?? 0, asset.dims?.[1] ?? 0) > LONGEST_SIDE,
  );
  const bytes = plain.reduce((sum, asset) => sum + (asset.gpu_bytes ?? 0), 0);
  if (bytes < UNCOMPRESSED_BYTES && oversized.length === 0) return null;
  const worst = (bytes < UNCOMPRESSED_BYTES ? oversized : [...new Set([...plain, ...oversized])])
    .toSorted((a, b) => (b.gpu_bytes ?? 0) - (a.gpu_bytes ?? 0) || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_EVIDENCE);
  return {
    id: 'texture_memory',
    severity: 'warning',
    title:
      bytes < UNCOMPRESSED_BYTES
        ? `${oversized.length} textures are wider or higher than ${LONGEST_SIDE}`
        : `Uncompressed textures take ${bytesText(bytes)} on the GPU`,
    detail: `${plain.length} textures are uncompressed and ${oversized.length} have a side over ${LONGEST_SIDE}. A compressed format (KTX2 to BC7, ASTC or ETC2) takes a quarter or less; half the width and height take a quarter again.`,
    evidence: worst.map((asset) => ({
      label: `${nameText(asset.name)}${asset.dims === undefined ? '' : ` ${asset.dims.slice(0, 2).join(' × ')}`}`,
      value: asset.gpu_bytes ?? 0,
      unit: 'bytes',
      t: asset.t,
    })),
    impact: bytes / 1_048_576,
  };
};
