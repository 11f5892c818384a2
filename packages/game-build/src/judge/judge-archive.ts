// Checks a whole archive by its headers. The order of the rules is the order of the findings.
import { entryFinding, type Refusal, refuse } from '../findings.ts';
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

/** An entry with consistent headers. Its data is not checked yet. */
export type Entry = {
  /** The name in the ZIP. The name of a folder ends in `/`. */
  readonly name: string;
  readonly kind: 'file' | 'folder';
  /** Whether the entry is verified but not kept. See `isJunk`. */
  readonly dropped: boolean;
  /** Relative to the build's root. Empty for dropped entries, for the root itself and for folders beside it. */
  readonly path: string;
  readonly method: 'stored' | 'deflated';
  /** Whether only a descriptor after the data has its length. True for stored data with a descriptor. */
  readonly open_ended: boolean;
  readonly crc32: number;
  readonly compressed_bytes: number;
  readonly bytes: number;
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

type Sized = { readonly name: string; readonly bytes: number };

/** Findings for declared sizes and counts over a limit. Inflating checks that the data has the declared sizes. */
export function findLimitFaults(
  all: readonly Sized[],
  files: readonly Sized[],
  limits: BuildLimits,
): Refusal[] {
  const findings: Refusal[] = [];
  if (files.length > limits.files) {
    const message = `The build has ${files.length} files; ${limits.files} are allowed.`;
    findings.push({
      code: 'zip_too_many_entries',
      entry: null,
      rule: 'files',
      message,
      hint: 'Combine small files into archives of your engine.',
    });
  }
  for (const { name, bytes } of all) {
    if (bytes <= limits.file_bytes) continue;
    const what = `has ${bytes} bytes; ${limits.file_bytes} are allowed.`;
    const hint = 'Split the file, or load a part of it later.';
    findings.push(
      entryFinding(name, { code: 'zip_file_too_large', rule: 'file_bytes', what, hint }),
    );
  }
  const total = all.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > limits.expanded_bytes) {
    const message = `All files together have ${total} bytes; ${limits.expanded_bytes} are allowed.`;
    const rule = 'expanded_bytes';
    findings.push({ code: 'zip_expansion_limit', entry: null, rule, message, hint: null });
  }
  return findings;
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
    data_offset: dataOffset,
  };
}
