// Finds the end record of a ZIP and the bounds of its central directory (APPNOTE 4.3.14 to 4.3.16).
import type { ByteSource } from '../byte-source.ts';
import { refuseWhole } from '../findings.ts';
import { readSafeUInt64 } from './uint64.ts';

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const LOCATOR_SIGNATURE = 0x07064b50;
const LOCATOR_BYTES = 20;
const END64_SIGNATURE = 0x06064b50;
const END64_BYTES = 56;

/** The place of the central directory and its declared number of entries. It ends where the end records begin. */
export type DirectoryBounds = {
  readonly offset: number;
  readonly bytes: number;
  readonly declaredEntries: number;
};

/** Throws a `BuildError`: `zip_malformed` or `zip_ambiguous`. */
export async function readEndRecord(source: ByteSource): Promise<DirectoryBounds> {
  if (source.size < END_BYTES) {
    refuseWhole(
      'zip_malformed',
      'end_missing',
      `The file has ${source.size} bytes and is not a ZIP.`,
    );
  }
  const tailBytes = Math.min(source.size, MAX_COMMENT_BYTES + END_BYTES);
  const tail = await source.read(source.size - tailBytes, tailBytes);
  const at = findEnd(tail);
  const end = tail.subarray(at);
  const position = source.size - tailBytes + at;
  if (end.readUInt16LE(4) !== 0 || end.readUInt16LE(6) !== 0) refuseDisks();
  const short = {
    onDisk: end.readUInt16LE(8),
    entries: end.readUInt16LE(10),
    bytes: end.readUInt32LE(12),
    offset: end.readUInt32LE(16),
  };
  const bounds = (await readEnd64(source, position, short)) ?? {
    declaredEntries: short.entries,
    bytes: short.bytes,
    offset: short.offset,
    end: position,
  };
  if (short.onDisk !== short.entries) {
    refuseWhole(
      'zip_ambiguous',
      'count_mismatch',
      `The end record has two different counts of entries: ${short.onDisk} and ${short.entries}.`,
    );
  }
  judgeBounds(bounds);
  return bounds;
}

/** The index in the tail of the end record that ends the file. */
function findEnd(tail: Buffer): number {
  const found: number[] = [];
  for (let i = tail.length - END_BYTES; i >= 0; i--) {
    if (tail[i] === 0x50 && tail.readUInt32LE(i) === END_SIGNATURE) found.push(i);
  }
  const endOf = (at: number): number => at + END_BYTES + tail.readUInt16LE(at + 20);
  const exact = found.filter((at) => endOf(at) === tail.length);
  const [only] = exact;
  if (only === undefined) return refuseWithoutEnd(found.some((at) => endOf(at) < tail.length));
  if (exact.length > 1 || found.some((at) => at > only)) {
    refuseWhole('zip_ambiguous', 'end_doubled', 'The ZIP has more than one end record.', REZIP);
  }
  return only;
}

function refuseWithoutEnd(bytesAfter: boolean): never {
  if (bytesAfter) {
    return refuseWhole(
      'zip_ambiguous',
      'bytes_after_end',
      'Bytes follow the end record of the ZIP.',
      REZIP,
    );
  }
  return refuseWhole(
    'zip_malformed',
    'end_missing',
    'The end record is missing: the file is not a ZIP, or only the beginning of one.',
    'Upload the whole ZIP file.',
  );
}

type ShortEnd = { entries: number; bytes: number; offset: number };

/** Reads the Zip64 end record, which must be directly before its locator. The locator is directly before the end record. Null without one. */
async function readEnd64(source: ByteSource, endPosition: number, short: ShortEnd) {
  if (endPosition < LOCATOR_BYTES) return null;
  const locator = await source.read(endPosition - LOCATOR_BYTES, LOCATOR_BYTES);
  if (locator.readUInt32LE(0) !== LOCATOR_SIGNATURE) return null;
  if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) !== 1) refuseDisks();
  const position = readSafeUInt64(locator, 8);
  if (position === null || position + END64_BYTES + LOCATOR_BYTES > endPosition) {
    return refuseWhole('zip_malformed', 'zip64_bounds', 'The Zip64 end record is out of bounds.');
  }
  const record = await source.read(position, END64_BYTES);
  if (record.readUInt32LE(0) !== END64_SIGNATURE) {
    return refuseWhole('zip_malformed', 'zip64_missing', 'The Zip64 end record is missing.');
  }
  const tiles = position + END64_BYTES + LOCATOR_BYTES === endPosition;
  if (!tiles || record.readBigUInt64LE(4) !== BigInt(END64_BYTES - 12)) {
    const message = 'Foreign bytes are in or after the Zip64 end record.';
    return refuseWhole('zip_ambiguous', 'zip64_extent', message, REZIP);
  }
  if (record.readUInt32LE(16) !== 0 || record.readUInt32LE(20) !== 0) refuseDisks();
  const [onDisk, declaredEntries, bytes, offset] = [24, 32, 40, 48].map((at) =>
    readSafeUInt64(record, at),
  );
  if (onDisk == null || declaredEntries == null || bytes == null || offset == null) {
    const message = 'The Zip64 end record contains a number beyond 2^53.';
    return refuseWhole('zip_malformed', 'zip64_arithmetic', message);
  }
  const agrees = (one: number, other: number, unset: number) => one === unset || one === other;
  if (
    onDisk !== declaredEntries ||
    !agrees(short.entries, declaredEntries, 0xffff) ||
    !agrees(short.bytes, bytes, 0xffffffff) ||
    !agrees(short.offset, offset, 0xffffffff)
  ) {
    const message = 'The end record and the Zip64 end record do not agree.';
    return refuseWhole('zip_ambiguous', 'zip64_disagrees', message, REZIP);
  }
  return { declaredEntries, bytes, offset, end: position };
}

function judgeBounds(bounds: DirectoryBounds & { readonly end: number }): void {
  const end = bounds.offset + bounds.bytes;
  if (end > bounds.end) {
    refuseWhole(
      'zip_malformed',
      'directory_bounds',
      `The central directory ends at byte ${end}, after its end record at byte ${bounds.end}.`,
    );
  }
  if (end < bounds.end) {
    refuseWhole(
      'zip_ambiguous',
      'directory_bounds',
      `${bounds.end - end} foreign bytes are before the entries, or between the central directory and its end record.`,
      REZIP,
    );
  }
}

const REZIP = 'Create the ZIP again with a common tool, or publish the folder.';

function refuseDisks(): never {
  return refuseWhole(
    'zip_malformed',
    'disks',
    'The ZIP is one part of a split or spanned archive.',
    'Create one ZIP that is not split.',
  );
}
