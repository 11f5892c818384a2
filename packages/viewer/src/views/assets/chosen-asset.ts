// The asset whose numbers the assets view explains.
import { effect, signal } from '@preact/signals';
import type { AssetReportEntry } from '@svc/trace';
import { traceId } from '../../traces/open-traces.ts';

/** The key of the chosen asset, because a growing trace gets a new report every second. Empty: none. */
export const chosenAsset = signal('');

// Another trace has other assets with the same ids.
effect(() => {
  if (traceId.value !== null) chosenAsset.value = '';
});

export function keyOf({ source, id }: Pick<AssetReportEntry, 'source' | 'id'>): string {
  return `${source}/${typeof id}/${id}`;
}
