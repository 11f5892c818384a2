// Finds overlapping entries by the central directory, so that an overlap bomb is rejected before its headers are read.
import type { Refusal } from '../findings.ts';

/**
 * The finding for two entries that share bytes, or for one that reaches into the directory. `extents` has the start and the
 * end of each entry, by the minimum that it covers. Returns null if there is no overlap.
 */
export function findOverlap(extents: readonly number[], directoryOffset: number): Refusal | null {
  const count = extents.length / 2;
  const startOf = (i: number): number => extents[2 * i] ?? 0;
  const endOf = (i: number): number => extents[2 * i + 1] ?? 0;
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  if (!isAscending(extents)) order.sort((a, b) => startOf(a) - startOf(b));
  let covered = 0;
  for (const i of order) {
    if (startOf(i) < covered) return sharedBytes(startOf(i));
    covered = endOf(i);
    if (startOf(i) >= directoryOffset) {
      const message = `An entry starts at byte ${startOf(i)}, after the end of the entries at byte ${directoryOffset}.`;
      return { code: 'zip_malformed', entry: null, rule: 'entry_bounds', message, hint: null };
    }
    if (covered > directoryOffset) {
      return overlap(`An entry reaches into the central directory at byte ${directoryOffset}.`);
    }
  }
  return null;
}

/** The finding for two entries that share bytes. */
export function sharedBytes(from: number): Refusal {
  return overlap(`Two entries share the bytes from ${from}.`);
}

function isAscending(extents: readonly number[]): boolean {
  for (let i = 2; i < extents.length; i += 2) {
    if ((extents[i] ?? 0) < (extents[i - 2] ?? 0)) return false;
  }
  return true;
}

function overlap(message: string): Refusal {
  const hint = 'Create the ZIP again with a common tool, or publish the folder.';
  return { code: 'zip_overlap', entry: null, rule: 'overlap', message, hint };
}
