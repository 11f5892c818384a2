// Reads the local header before each entry's data and compares it with the central directory (APPNOTE 4.3.7, 4.3.9).
import type { ByteSource } from '../byte-source.ts';
import type { Refusal } from '../findings.ts';
import { entryFinding } from '../findings.ts';
import { type DirectoryEntry, LOCAL_HEADER_BYTES, zip64Error } from './central-directory.ts';
import { type ClaimedKind, kindsOfExtraFields } from './entry-kind.ts';
import { isZip64Field, readExtraFields, resolveSizes, unicodePathsAgree } from './extra-fields.ts';
import { ReadWindow } from './read-window.ts';
import { readSafeUInt64 } from './uint64.ts';

const SIGNATURE = 0x04034b50;
const DESCRIPTOR_SIGNATURE = 0x08074b50;
const DESCRIPTOR_FLAG = 0x0008;
const WINDOW_BYTES = 8192;
const LANES = 4;

/** An entry with the values of its local header. */
export type PlacedEntry = {
  readonly entry: DirectoryEntry;
  readonly dataOffset: number;
  readonly localKinds: readonly ClaimedKind[];
};

/** The place of an entry's data, or the findings that prevent reading it. */
export type LocalHeader =
  | (PlacedEntry & { readonly findings: readonly Refusal[] })
  | { readonly entry: DirectoryEntry; readonly findings: readonly [Refusal, ...Refusal[]] };

/**
 * Reads all local headers. `sorted` has the entries by rising offset. Between the data of an entry and the next entry or the
 * directory there must be nothing, or the data descriptor that the entry's flag announces.
 */
export async function readLocalHeaders(
  source: ByteSource,
  sorted: readonly DirectoryEntry[],
  directoryOffset: number,
): Promise<LocalHeader[]> {
  const headers = new Array<LocalHeader>(sorted.length);
  const laneLength = Math.ceil(sorted.length / LANES);
  const lane = async (from: number): Promise<void> => {
    const window = new ReadWindow(source, directoryOffset, WINDOW_BYTES);
    for (let i = from; i < Math.min(from + laneLength, sorted.length); i++) {
      const entry = sorted[i];
      if (entry === undefined) return;
      headers[i] = await readOne(window, entry, sorted[i + 1]?.offset ?? directoryOffset);
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, i) => lane(i * laneLength)));
  return headers;
}

async function readOne(
  window: ReadWindow,
  entry: DirectoryEntry,
  next: number,
): Promise<LocalHeader> {
  const head = await window.take(entry.offset, LOCAL_HEADER_BYTES);
  if (head.readUInt32LE(0) !== SIGNATURE) {
    return refused(entry, 'zip_malformed', 'local_signature', 'has no local header.');
  }
  const nameBytes = head.readUInt16LE(26);
  const extraBytes = head.readUInt16LE(28);
  const dataOffset = entry.offset + LOCAL_HEADER_BYTES + nameBytes + extraBytes;
  const dataEnd = dataOffset + entry.compressedBytes;
  if (dataEnd > next) {
    return refused(
      entry,
      'zip_overlap',
      'overlap',
      'overlaps the next entry or the central directory.',
    );
  }
  const tail = await window.take(entry.offset + LOCAL_HEADER_BYTES, nameBytes + extraBytes);
  const name = tail.subarray(0, nameBytes);
  const extraFields = readExtraFields(tail.subarray(nameBytes));
  if (extraFields === null) {
    const what = 'has local extra fields that exceed their space.';
    return refused(entry, 'zip_malformed', 'extra_bounds', what);
  }
  const localKinds = kindsOfExtraFields(extraFields);
  const findings = compareHeaders(entry, head, name, extraFields);
  if (!unicodePathsAgree(extraFields, name)) findings.push(secondName(entry));
  const between = await window.take(dataEnd, Math.min(next - dataEnd, 25));
  const gap = findGapFault(entry, next - dataEnd, between, extraFields.some(isZip64Field));
  if (gap !== null) findings.push(gap);
  return { entry, dataOffset, localKinds, findings };
}

function refused(
  entry: DirectoryEntry,
  code: Refusal['code'] & `zip_${string}`,
  rule: string,
  what: string,
): LocalHeader {
  return { entry, findings: [entryFinding(entry.name, { code, rule, what })] };
}

/** The finding for an entry with a second name in an extra field. */
export function secondName(entry: DirectoryEntry): Refusal {
  return entryFinding(entry.name, {
    code: 'zip_ambiguous',
    rule: 'unicode_path_disagrees',
    what: 'has another name in a Unicode-path field.',
  });
}

function compareHeaders(
  entry: DirectoryEntry,
  head: Buffer,
  name: Buffer,
  extraFields: Parameters<typeof resolveSizes>[1],
): Refusal[] {
  const differs = (what: string): Refusal =>
    entryFinding(entry.name, {
      code: 'zip_ambiguous',
      rule: `local_${what}`,
      what: `has different values for ${what} in its local header and in the central directory.`,
    });
  if (!name.equals(entry.rawName)) return [differs('name')];
  const findings: Refusal[] = [];
  if (head.readUInt16LE(6) !== entry.flags) findings.push(differs('flags'));
  if (head.readUInt16LE(8) !== entry.method) findings.push(differs('method'));
  const short = { compressedBytes: head.readUInt32LE(18), bytes: head.readUInt32LE(22) };
  const sizes = resolveSizes(short, extraFields);
  if (typeof sizes === 'string') return [...findings, ...zip64Error(entry.name, sizes).findings];
  const later = hasDescriptor(entry);
  const agrees = (local: number, central: number) => local === central || (later && local === 0);
  if (!agrees(head.readUInt32LE(14), entry.crc32)) findings.push(differs('crc'));
  const sizesAgree =
    agrees(sizes.bytes, entry.bytes) && agrees(sizes.compressedBytes, entry.compressedBytes);
  if (!sizesAgree) findings.push(differs('size'));
  return findings;
}

/**
 * Checks the bytes between an entry's data and the next entry. The available room shows whether a descriptor has a signature. Its
 * sizes have 64 bits only if the local header has a Zip64 field (APPNOTE 4.3.9.2): a reader from the front has no other way to
 * know the length of the descriptor.
 */
function findGapFault(
  entry: DirectoryEntry,
  room: number,
  bytes: Buffer,
  wide: boolean,
): Refusal | null {
  const announced = hasDescriptor(entry);
  if (!announced && room === 0) return null;
  const plainBytes = wide ? 20 : 12;
  if (announced && (room === plainBytes || room === plainBytes + 4)) {
    const signed = room > plainBytes;
    const values = signed ? bytes.subarray(4) : bytes;
    const sizes = wide
      ? [readSafeUInt64(values, 4), readSafeUInt64(values, 12)]
      : [values.readUInt32LE(4), values.readUInt32LE(8)];
    const holds =
      (!signed || bytes.readUInt32LE(0) === DESCRIPTOR_SIGNATURE) &&
      values.readUInt32LE(0) === entry.crc32 &&
      sizes[0] === entry.compressedBytes &&
      sizes[1] === entry.bytes;
    if (holds) return null;
  }
  const what = announced
    ? 'has a data descriptor that does not agree with the central directory.'
    : `is followed by ${room} bytes that belong to no entry.`;
  const rule = announced ? 'descriptor_disagrees' : 'bytes_between';
  const hint = 'Create the ZIP again with a common tool, or publish the folder.';
  return entryFinding(entry.name, { code: 'zip_ambiguous', rule, what, hint });
}

/** Whether a descriptor after the data has the CRC-32 and the sizes. */
export function hasDescriptor(entry: DirectoryEntry): boolean {
  return (entry.flags & DESCRIPTOR_FLAG) !== 0;
}

/** Whether the place of the data is known. The header may still have findings. */
export function isPlaced(header: LocalHeader): header is LocalHeader & PlacedEntry {
  return 'dataOffset' in header;
}
