// The same asset is loaded or uploaded more than once.
import { bytesText, nameText } from '../../derive/facts/number-text.ts';
import type { AssetRecord } from '../../format/records.ts';
import type { Sourced } from '../../model/trace-model.ts';
import { MOST_EVIDENCE, type Rule } from '../findings/finding.ts';

/** Below this there is no finding. */
const WASTED_BYTES = 1_048_576;

export const duplicateAssets: Rule = ({ model }) => {
  const groups = new Map<string, Sourced<AssetRecord>[]>();
  for (const asset of model.assets) {
    const size = sizeOf(asset);
    if (size === 0 || asset.cached === true) continue;
    const key = JSON.stringify([asset.source, asset.name, asset.phase, size]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [asset]);
    else group.push(asset);
  }
  const again = [...groups.values()]
    .filter(isRepeated)
    .map((group) => ({ group, wasted: (group.length - 1) * sizeOf(group[0]) }))
    .sort((a, b) => b.wasted - a.wasted);
  const wasted = again.reduce((sum, one) => sum + one.wasted, 0);
  if (wasted < WASTED_BYTES) return null;
  return {
    id: 'duplicate_assets',
    severity: 'warning',
    title: `${again.length === 1 ? '1 asset is' : `${again.length} assets are`} loaded more than once: ${bytesText(wasted)} wasted`,
    detail:
      'Assets with the same name and size were loaded or uploaded again. Keep one copy in a cache by URL, and reuse it.',
    evidence: again.slice(0, MOST_EVIDENCE).map(({ group, wasted: bytes }) => ({
      label: `${nameText(group[0]?.name ?? '')}: ${group.length} times`,
      value: bytes,
      unit: 'bytes',
      t: group[1]?.t ?? 0,
    })),
    impact: wasted / 1_048_576,
  };
};

/** Loaded more than once, or uploaded under several ids. Repeated uploads of one id do not count. */
function isRepeated(group: readonly Sourced<AssetRecord>[]): boolean {
  const [first] = group;
  const ids = new Set(group.map((asset) => JSON.stringify(asset.id)));
  if (first?.phase === 'load') return group.length > 1;
  return first?.phase === 'upload' && ids.size === group.length && group.length > 1;
}

function sizeOf(asset: AssetRecord | undefined): number {
  return (asset?.phase === 'upload' ? asset.gpu_bytes : asset?.transfer_bytes) ?? 0;
}
