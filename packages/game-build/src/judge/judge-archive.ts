// Decides on a whole archive once its headers are read: all rules in the order in which their findings are told.
import { entryFinding, type Refusal, refuse } from '../findings.ts';
import type { BuildLimits } from '../limits.ts';
import { findRoot, isJunk } from '../names/build-root.ts';
import { findCollisions } from '../names/collisions.ts';
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

/** An entry whose headers were found honest. Its data is not looked at yet. */
export type Entry = {
  /** As in the ZIP; a folder's ends in `/`. */
  readonly name: string;
  readonly kind: 'file' | 'folder';
  /** True for junk that is verified but not kept. */
  readonly dropped: boolean;
  /** Relative to the build's root; empty for what is dropped, for the root itself and for folders beside it. */
  readonly path: string;
  readonly method: 'stored' | 'deflated';
  /** Only a descriptor behind the data tells its length: stored data does not tell it by itself. */
  readonly open_ended: boolean;
  readonly crc32: number;
  readonly compressed_bytes: number;
  readonly bytes: number;
  /** Offset of the first compressed byte. */
  readonly data_offset: number;
};

/** Throws a `BuildError` with all findings, or tells the root and the entries. `headers` are by rising offset. */
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
    ...findCollisions(sound).map(({ name, what }) =>
      entryFinding(name, 'zip_path_collision', 'collision', what, 'Rename or remove one of them.'),
    ),
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

/** Bytes before the first entry, whose offsets may well be right. */
function findBytesBefore(headers: readonly LocalHeader[], directoryOffset: number): Refusal[] {
  const before = headers[0]?.entry.offset ?? directoryOffset;
  if (before === 0) return [];
  return [
    {
      code: 'zip_ambiguous',
      entry: null,
      rule: 'bytes_before',
      message: `${before} foreign bytes stand before the first entry.`,
      hint: 'Publish a plain ZIP, not a self-extracting one.',
    },
  ];
}

type Sized = { readonly name: string; readonly bytes: number };

/** Declared sizes and counts over a limit. While inflating, an entry is held to what it declares. */
export function findLimitFaults(
  all: readonly Sized[],
  files: readonly Sized[],
  limits: BuildLimits,
): Refusal[] {
  const findings: Refusal[] = [];
  if (files.length > limits.files) {
    const message = `The build has ${files.length} files, ${limits.files} are allowed.`;
    findings.push({
      code: 'zip_too_many_entries',
      entry: null,
      rule: 'files',
      message,
      hint: 'Pack small files into archives of your engine.',
    });
  }
  for (const { name, bytes } of all) {
    if (bytes <= limits.file_bytes) continue;
    const what = `has ${bytes} bytes, ${limits.file_bytes} are allowed.`;
    const hint = 'Split it, or load a part of it later.';
    findings.push(entryFinding(name, 'zip_file_too_large', 'file_bytes', what, hint));
  }
  const total = all.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > limits.expanded_bytes) {
    const message = `The files have ${total} bytes together, ${limits.expanded_bytes} are allowed.`;
    const rule = 'expanded_bytes';
    findings.push({ code: 'zip_expansion_limit', entry: null, rule, message, hint: null });
  }
  return findings;
}

function toEntry({ entry, dataOffset }: PlacedEntry, root: string): Entry {
  const dropped = isJunk(entry.name);
  // An empty folder beside the root is in the ZIP and not in the build.
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
