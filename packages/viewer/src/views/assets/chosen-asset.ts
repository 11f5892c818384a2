// The asset whose numbers the assets view explains.
import { signal } from '@preact/signals';
import type { AssetReportEntry } from '@svc/trace';

/** The key of the chosen asset, because a growing trace gets a new report every second. Empty: none. */
export const chosenAsset = signal('');

export function keyOf({ source, id }: Pick<AssetReportEntry, 'source' | 'id'>): string {
  return `${source}/${typeof id}/${id}`;
}
