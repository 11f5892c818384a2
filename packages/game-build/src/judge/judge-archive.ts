// Checks a whole archive by its headers. The order of the rules is the order of the findings.
import { type Refusal, refuse } from '../findings.ts';
import type { BuildLimits } from '../limits.ts';
import { findRoot, isJunk } from '../names/build-root.ts';
import { collisionFinding, findCollisions } from '../names/collisions.ts';
import { kindOfAttributes } from '../read/entry-kind.ts';
import {
  hasDescriptor,
  isPlaced,
  type LocalHeader,
  type PlacedEntry,
} from '../read/local-headers.ts';
import {
  findEncryption,
  findKindFault,
  findMethodFault,
  findNameFault,
  findSizeFault,
  isFolder,
  STORED,
} from './entry-rules.ts';
import { findLimitFaults, type ListedEntry } from './listing.ts';

/** An entry with consistent headers. Its data is not checked yet. */
export type Entry = ListedEntry & {
  readonly method: 'stored' | 'deflated';
  /** Whether only a descriptor after the data has its length. True for stored data with a descriptor. */
  readonly open_ended: boolean;
  readonly crc32: number;
  readonly compressed_bytes: number;
  /** Offset of the first compressed byte. */
  readonly data_offset: number;
};

/** Returns the root and the entries. Throws a `BuildError` with all findings. `headers` are sorted by offset. */
export function judgeArchive(
  headers: readonly LocalHeader[],
  directoryOffset: number,
  limits: BuildLimits,
): { readonly root: string; readonly entries: Entry[] } {
  const entries = headers.map((header) => header.entry);
  const placed = headers.filter(isPlaced);
  const nameFaults = entries.map((entry) => findNameFault(entry, limits));
  const sound = entries.filter((_, i) => nameFaults[i]?.length === 0).map((entry) => entry.name);
  const kept = entries.filter((entry) => !isJunk(entry.name));
  const root = findRoot(kept.filter((entry) => !isFolder(entry)).map((entry) => entry.name));
  refuse([
    ...entries.flatMap(findEncryption),
    ...findBytesBefore(headers, directoryOffset),
    ...headers.flatMap((header) => header.findings),
    ...entries.flatMap(findMethodFault),
    ...placed.flatMap((one) =>
      findKindFault(one, ({ host, externalAttributes }) =>
        kindOfAttributes(host, externalAttributes),
      ),
    ),
    ...nameFaults.flat(),
    ...findCollisions(sound).map(collisionFinding),
    ...findLimitFaults(
      entries,
      kept.filter((entry) => !isFolder(entry)),
      limits,
    ),
    ...entries.flatMap(findSizeFault),
    ...(typeof root === 'string' ? [] : [root]),
  ]);
  const prefix = typeof root === 'string' ? root : '';
  return { root: prefix.slice(0, -1), entries: placed.map((one) => toEntry(one, prefix)) };
}

/** The finding for bytes before the first entry. */
function findBytesBefore(headers: readonly LocalHeader[], directoryOffset: number): Refusal[] {
  const before = headers[0]?.entry.offset ?? directoryOffset;
  if (before === 0) return [];
  return [
    {
      code: 'zip_ambiguous',
      entry: null,
      rule: 'bytes_before',
      message: `${before} foreign bytes are before the first entry.`,
      hint: 'Publish a plain ZIP, not a self-extracting one.',
    },
  ];
}

function toEntry({ entry, dataOffset }: PlacedEntry, root: string): Entry {
  const dropped = isJunk(entry.name);
  // An empty folder beside the root is in the ZIP, but not in the build.
  const inside = !dropped && entry.name.startsWith(root);
  return {
    name: entry.name,
    kind: isFolder(entry) ? 'folder' : 'file',
    dropped,
    path: inside ? entry.name.slice(root.length) : '',
    method: entry.method === STORED ? 'stored' : 'deflated',
    open_ended: entry.method === STORED && hasDescriptor(entry),
    crc32: entry.crc32,
    compressed_bytes: entry.compressedBytes,
    bytes: entry.bytes,
    sha256: null,
    data_offset: dataOffset,
  };
}
