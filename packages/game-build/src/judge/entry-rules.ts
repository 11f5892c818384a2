// The rules for single entries: encryption, method, kind, name and sizes.
import type { Refusal } from '../findings.ts';
import { entryFinding } from '../findings.ts';
import type { BuildLimits } from '../limits.ts';
import { isJunk } from '../names/build-root.ts';
import { findLengthFault, findPathFault, isUtf8Name } from '../names/paths.ts';
import type { DirectoryEntry } from '../read/central-directory.ts';
import { type PlacedEntry, secondName } from '../read/local-headers.ts';

const ENCRYPTED = 0x0001;
const PATCH = 0x0020;
const STRONG_ENCRYPTION = 0x0040;
const MASKED_HEADERS = 0x2000;
const METHOD_AES = 99;

export const STORED = 0;
const DEFLATED = 8;
const METHODS: Readonly<Record<number, string>> = {
  1: 'Shrink',
  6: 'Implode',
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  20: 'Zstandard (old number)',
  93: 'Zstandard',
  95: 'XZ',
  96: 'JPEG',
  97: 'WavPack',
  98: 'PPMd',
};

/** 4.5 is Zip64. Higher versions mean methods and encryption that are rejected anyway; older readers skip such entries. */
const MAX_VERSION_NEEDED = 46;

/** The best ratio of Deflate: a length code and a distance code of one bit each for 258 bytes. */
const MAX_DEFLATE_RATIO = 1032;

export function findEncryption(entry: DirectoryEntry): Refusal[] {
  const flagged = (entry.flags & (ENCRYPTED | STRONG_ENCRYPTION | MASKED_HEADERS)) !== 0;
  if (!flagged && entry.method !== METHOD_AES) return [];
  return [
    entryFinding(entry.name, {
      code: 'zip_encrypted',
      rule: 'encrypted',
      what: 'is encrypted.',
      hint: 'Make the ZIP without a password.',
    }),
  ];
}

export function findMethodFault(entry: DirectoryEntry): Refusal[] {
  const patch = (entry.flags & PATCH) !== 0;
  const code = 'zip_method_unsupported';
  if (entry.method === METHOD_AES) return [];
  if (!patch && (entry.method === STORED || entry.method === DEFLATED)) {
    if (entry.versionNeeded <= MAX_VERSION_NEEDED) return [];
    const what = `needs version ${entry.versionNeeded / 10} of the format.`;
    return [entryFinding(entry.name, { code, rule: 'version_needed', what })];
  }
  const method = METHODS[entry.method] ?? `method ${entry.method}`;
  const what = patch ? 'is patched data.' : `is compressed with ${method}.`;
  const hint = 'Make the ZIP with Deflate, the usual method.';
  return [entryFinding(entry.name, { code, rule: 'method', what, hint })];
}

export function isFolder(entry: DirectoryEntry): boolean {
  return entry.name.endsWith('/');
}

/** Every field about the kind must agree with the name, and a folder must have no data. */
export function findKindFault({ entry, localKinds }: PlacedEntry, own: ClaimOf): Refusal[] {
  const named = isFolder(entry) ? 'folder' : 'file';
  for (const claim of [own(entry), ...entry.extraKinds, ...localKinds]) {
    if (claim === null || claim === named) continue;
    if (typeof claim === 'object') {
      const hint = 'Only regular files and folders can be published. Replace it with a copy.';
      return [kindFinding(entry, 'kind', `is ${claim.forbidden}.`, hint)];
    }
    return [kindFinding(entry, 'kind', `is named as a ${named} and marked as a ${claim}.`, null)];
  }
  if (named === 'folder' && entry.bytes > 0) {
    return [kindFinding(entry, 'folder_data', 'is a folder with data.', null)];
  }
  return [];
}

type ClaimOf = (entry: DirectoryEntry) => PlacedEntry['localKinds'][number] | null;

function kindFinding(entry: DirectoryEntry, rule: string, what: string, hint: string | null) {
  return entryFinding(entry.name, { code: 'zip_entry_type', rule, what, hint });
}

/** Checks encoding, second name, name and length. The names of dropped entries may be longer. */
export function findNameFault(entry: DirectoryEntry, limits: BuildLimits): Refusal[] {
  const code = 'zip_path_invalid';
  if (!isUtf8Name(entry.rawName)) {
    const what = 'has a name that is not valid UTF-8.';
    const hint = 'Make the ZIP with a tool that writes UTF-8 names, or rename it to plain letters.';
    return [entryFinding(entry.name, { code, rule: 'path_not_utf8', what, hint })];
  }
  if (!entry.unicodePathsAgree) return [secondName(entry)];
  const found =
    findPathFault(entry.name) ?? (isJunk(entry.name) ? null : findLengthFault(entry.name, limits));
  if (found === null) return [];
  return [entryFinding(entry.name, { code, ...found })];
}

/** Checks that the declared sizes are possible. Skips encrypted entries, whose data is longer and which are rejected anyway. */
export function findSizeFault(entry: DirectoryEntry): Refusal[] {
  const { bytes, compressedBytes, method } = entry;
  if (findEncryption(entry).length > 0) return [];
  const possible =
    method === STORED
      ? bytes === compressedBytes
      : method !== DEFLATED || bytes <= compressedBytes * MAX_DEFLATE_RATIO;
  if (possible) return [];
  const what = `declares ${bytes} bytes from ${compressedBytes} compressed bytes, which is impossible.`;
  return [entryFinding(entry.name, { code: 'zip_size_mismatch', rule: 'size_impossible', what })];
}
