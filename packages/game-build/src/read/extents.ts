// Decides whether entries overlap, from the central directory alone: an overlap bomb is refused before its headers are read.
import type { Refusal } from '../findings.ts';

/**
 * The finding that two entries share bytes, or that one reaches into or over the directory. `extents` holds a start and
 * an end for each entry, the least that it covers.
 */
export function findOverlap(extents: readonly number[], directoryOffset: number): Refusal | null {
  const count = extents.length / 2;
  const startOf = (i: number): number => extents[2 * i] ?? 0;
  const endOf = (i: number): number => extents[2 * i + 1] ?? 0;
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  if (!isRising(extents)) order.sort((a, b) => startOf(a) - startOf(b));
  let covered = 0;
  for (const i of order) {
    if (startOf(i) < covered) return sharedBytes(startOf(i));
    covered = endOf(i);
    if (startOf(i) >= directoryOffset) {
      const message = `An entry is said to start at byte ${startOf(i)}, behind the entries' end at ${directoryOffset}.`;
      return { code: 'zip_malformed', entry: null, rule: 'entry_bounds', message, hint: null };
    }
    if (covered > directoryOffset) {
      return overlap(`An entry reaches into the central directory at byte ${directoryOffset}.`);
    }
  }
  return null;
}

/** The finding that two entries share bytes. */
export function sharedBytes(from: number): Refusal {
  return overlap(`Two entries share the bytes from ${from} on.`);
}

function isRising(extents: readonly number[]): boolean {
  for (let i = 2; i < extents.length; i += 2) {
    if ((extents[i] ?? 0) < (extents[i - 2] ?? 0)) return false;
  }
  return true;
}

function overlap(message: string): Refusal {
  const hint = 'Make the ZIP anew with a common tool, or publish the folder.';
  return { code: 'zip_overlap', entry: null, rule: 'overlap', message, hint };
}
