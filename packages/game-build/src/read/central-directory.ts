// Reads the central directory, which describes each entry (APPNOTE 4.3.12).
import type { ByteSource } from '../byte-source.ts';
import { BuildError, entryFinding, type RefusalCode, refuse, refuseWhole } from '../findings.ts';
import { type BuildLimits, ENTRIES_PER_FILE } from '../limits.ts';
import type { DirectoryBounds } from './end-record.ts';
import { type ClaimedKind, kindsOfExtraFields } from './entry-kind.ts';
import { sharedBytes } from './extents.ts';
import {
  readExtraFields,
  resolveSizes,
  unicodePathsAgree,
  type Zip64Fault,
} from './extra-fields.ts';
import { ReadWindow } from './read-window.ts';

const SIGNATURE = 0x02014b50;
const HEADER_BYTES = 46;
/** A local header, before its name and extra fields. */
export const LOCAL_HEADER_BYTES = 30;

/** One entry of the central directory. Only its arithmetic is checked. */
export type DirectoryEntry = {
  readonly rawName: Buffer;
  /** The decoded name, with U+FFFD for bytes that are not UTF-8. */
  readonly name: string;
  /** Upper byte of "version made by": the system that defines the attributes. */
  readonly host: number;
  /** The format version needed to extract the entry, times ten. */
  readonly versionNeeded: number;
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  readonly externalAttributes: number;
  /** Offset of the local header. */
  readonly offset: number;
  /** The kinds that its extra fields claim. */
  readonly extraKinds: readonly ClaimedKind[];
  /** False if a Unicode-path field has another name. */
  readonly unicodePathsAgree: boolean;
};

export type Directory = {
  readonly offset: number;
  readonly entries: readonly DirectoryEntry[];
  /** The number of entries. May exceed `entries.length`. */
  readonly counted: number;
  /** Start and end of each counted entry, by the minimum that it covers, as one flat list. */
  readonly extents: readonly number[];
};

/** Room for the folder that macOS puts before a path. Longer names are rejected without further checks. */
const NAME_SLACK_BYTES = 64;
/** The maximum number of entries that are read. The count in the end record may be higher. */
const MAX_COUNTED = 1 << 17;

/**
 * Reads the directory. Keeps as many entries as the limits allow and counts the rest. Throws a `BuildError` if a header or a
 * count is wrong.
 */
export async function readCentralDirectory(
  source: ByteSource,
  bounds: DirectoryBounds,
  limits: BuildLimits,
): Promise<Directory> {
  const maxEntries = limits.files * ENTRIES_PER_FILE;
  const window = new ReadWindow(source, bounds.offset + bounds.bytes, 1 << 20);
  const end = bounds.offset + bounds.bytes;
  const entries: DirectoryEntry[] = [];
  const extents: number[] = [];
  let at = bounds.offset;
  let counted = 0;
  while (at < end && counted <= bounds.declaredEntries && counted < MAX_COUNTED) {
    const { entry, next } = await readHeader(window, at, end);
    if (entry.rawName.length > limits.path_bytes + NAME_SLACK_BYTES) refuseName(entry);
    if (counted < maxEntries) entries.push(entry);
    const covered = LOCAL_HEADER_BYTES + entry.rawName.length + entry.compressedBytes;
    // The second entry of an overlap bomb already overlaps. Nothing more of it is read.
    const [start = 0, stop = 0] = extents.slice(-2);
    if (start <= entry.offset && entry.offset < stop) refuse([sharedBytes(entry.offset)]);
    extents.push(entry.offset, entry.offset + covered);
    counted++;
    at = next;
  }
  if (counted < MAX_COUNTED && (at !== end || counted !== bounds.declaredEntries)) {
    const more = at !== end ? 'at least ' : '';
    refuseWhole(
      'zip_ambiguous',
      'count_mismatch',
      `The end record counts ${bounds.declaredEntries} entries, but the central directory has ${more}${counted}.`,
      'Create the ZIP again with a tool that writes Zip64 for 65,536 or more entries.',
    );
  }
  return { offset: bounds.offset, entries, counted, extents };
}

async function readHeader(window: ReadWindow, at: number, end: number) {
  if (at + HEADER_BYTES > end) refuseTorn(at);
  const head = await window.take(at, HEADER_BYTES);
  if (head.readUInt32LE(0) !== SIGNATURE) {
    refuseWhole('zip_malformed', 'header_signature', `There is no directory header at byte ${at}.`);
  }
  const nameBytes = head.readUInt16LE(28);
  const extraBytes = head.readUInt16LE(30);
  const next = at + HEADER_BYTES + nameBytes + extraBytes + head.readUInt16LE(32);
  if (next > end) refuseTorn(at);
  const tail = await window.take(at + HEADER_BYTES, nameBytes + extraBytes);
  const entry = parseHeader(head, tail.subarray(0, nameBytes), tail.subarray(nameBytes));
  return { entry, next };
}

function refuseTorn(at: number): never {
  return refuseWhole(
    'zip_malformed',
    'header_bounds',
    `The directory header at byte ${at} exceeds the central directory.`,
  );
}

function refuseName({ name, rawName }: DirectoryEntry): never {
  const what = `is ${rawName.length} bytes long.`;
  throw fault(name.slice(0, 300), 'zip_path_invalid', 'path_bytes', what);
}

function parseHeader(head: Buffer, nameBytes: Buffer, extra: Buffer): DirectoryEntry {
  const rawName = Buffer.from(nameBytes);
  const name = rawName.toString('utf8');
  const extraFields = readExtraFields(Buffer.from(extra));
  if (extraFields === null) throw fault(name, 'zip_malformed', 'extra_bounds', EXTRA_TORN);
  const short = {
    bytes: head.readUInt32LE(24),
    compressedBytes: head.readUInt32LE(20),
    offset: head.readUInt32LE(42),
    disk: head.readUInt16LE(34),
  };
  const sizes = resolveSizes(short, extraFields);
  if (typeof sizes === 'string') throw zip64Error(name, sizes);
  if (sizes.disk !== 0) {
    throw fault(
      name,
      'zip_malformed',
      'disks',
      'is on another disk of a split archive, according to its header.',
    );
  }
  return {
    rawName,
    name,
    host: head.readUInt8(5),
    versionNeeded: head.readUInt8(6),
    flags: head.readUInt16LE(8),
    method: head.readUInt16LE(10),
    crc32: head.readUInt32LE(16),
    externalAttributes: head.readUInt32LE(38),
    extraKinds: kindsOfExtraFields(extraFields),
    unicodePathsAgree: unicodePathsAgree(extraFields, rawName),
    ...sizes,
  };
}

const EXTRA_TORN = 'has extra fields that exceed their space.';

/** The error for a Zip64 field that is not valid. */
export function zip64Error(name: string, why: Zip64Fault): BuildError {
  if (why === 'ambiguous') {
    return fault(name, 'zip_ambiguous', 'zip64_disagrees', 'has Zip64 sizes that disagree.');
  }
  return fault(
    name,
    'zip_malformed',
    why === 'arithmetic' ? 'zip64_arithmetic' : 'zip64_bounds',
    why === 'arithmetic' ? 'has a Zip64 number beyond 2^53.' : 'has a Zip64 field that is cut off.',
  );
}

function fault(name: string, code: RefusalCode, rule: string, what: string): BuildError {
  return new BuildError([entryFinding(name, { code, rule, what })]);
}
