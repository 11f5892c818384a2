// Writes the records of a ZIP with a fixed time and mode, so that the same files give the same bytes. Zip64 is used only where the format
// needs it: for an entry that begins after 4 GiB, and for a directory that is large, or that begins there.

/** The values of an entry's headers. */
export type PackedEntry = {
  readonly name: Buffer;
  readonly method: 0 | 8;
  /** Whether sizes and CRC-32 follow the data in a data descriptor, because they are not known before. */
  readonly streamed: boolean;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  readonly offset: number;
};

const DESCRIPTOR_FLAG = 0x0008;
const UTF8_FLAG = 0x0800;
const VERSION = 20;
/** The version of the format that has Zip64. */
const VERSION_64 = 45;
/** The value of a field whose true value is in a record of Zip64. */
const MARK_16 = 0xffff;
const MARK_32 = 0xffff_ffff;
const UNIX = 3;
/** 1 January 1980, the first day that the format can represent. */
const DOS_DATE = 0x0021;
/** A regular file, writable by its owner and readable by all. */
const MODE = 0o100644;

function flagsOf({ name, streamed }: PackedEntry): number {
  const ascii = name.every((byte) => byte < 0x80);
  return (streamed ? DESCRIPTOR_FLAG : 0) | (ascii ? 0 : UTF8_FLAG);
}

export function localHeader(entry: PackedEntry): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(VERSION, 4);
  head.writeUInt16LE(flagsOf(entry), 6);
  head.writeUInt16LE(entry.method, 8);
  head.writeUInt16LE(DOS_DATE, 12);
  if (!entry.streamed) writeSizes(head, 14, entry);
  head.writeUInt16LE(entry.name.length, 26);
  return Buffer.concat([head, entry.name]);
}

export function dataDescriptor(entry: PackedEntry): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt32LE(0x08074b50, 0);
  writeSizes(record, 4, entry);
  return record;
}

export function directoryHeader(entry: PackedEntry): Buffer {
  const extra = entry.offset < MARK_32 ? Buffer.alloc(0) : offsetField(entry.offset);
  const version = extra.length === 0 ? VERSION : VERSION_64;
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE((UNIX << 8) | version, 4);
  head.writeUInt16LE(version, 6);
  head.writeUInt16LE(flagsOf(entry), 8);
  head.writeUInt16LE(entry.method, 10);
  head.writeUInt16LE(DOS_DATE, 14);
  writeSizes(head, 16, entry);
  head.writeUInt16LE(entry.name.length, 28);
  head.writeUInt16LE(extra.length, 30);
  head.writeUInt32LE(MODE * 0x10000, 38);
  head.writeUInt32LE(Math.min(entry.offset, MARK_32), 42);
  return Buffer.concat([head, entry.name, extra]);
}

/** The extra field of Zip64 with the offset only. */
function offsetField(offset: number): Buffer {
  const field = Buffer.alloc(12);
  field.writeUInt16LE(0x0001, 0);
  field.writeUInt16LE(8, 2);
  field.writeBigUInt64LE(BigInt(offset), 4);
  return field;
}

/** Returns the end of a ZIP whose directory begins at the offset. */
export function endRecord(entries: number, directoryBytes: number, offset: number): Buffer {
  const record = Buffer.alloc(22);
  const listed = Math.min(entries, MARK_16);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(listed, 8);
  record.writeUInt16LE(listed, 10);
  record.writeUInt32LE(Math.min(directoryBytes, MARK_32), 12);
  record.writeUInt32LE(Math.min(offset, MARK_32), 16);
  const fits = entries < MARK_16 && directoryBytes < MARK_32 && offset < MARK_32;
  return fits ? record : Buffer.concat([endRecord64(entries, directoryBytes, offset), record]);
}

/** The end record of Zip64, and its locator. */
function endRecord64(entries: number, directoryBytes: number, offset: number): Buffer {
  const record = Buffer.alloc(56 + 20);
  record.writeUInt32LE(0x06064b50, 0);
  // The bytes after this field.
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE((UNIX << 8) | VERSION_64, 12);
  record.writeUInt16LE(VERSION_64, 14);
  record.writeBigUInt64LE(BigInt(entries), 24);
  record.writeBigUInt64LE(BigInt(entries), 32);
  record.writeBigUInt64LE(BigInt(directoryBytes), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  record.writeUInt32LE(0x07064b50, 56);
  record.writeBigUInt64LE(BigInt(offset + directoryBytes), 64);
  record.writeUInt32LE(1, 72);
  return record;
}

function writeSizes(record: Buffer, at: number, entry: PackedEntry): void {
  record.writeUInt32LE(entry.crc32, at);
  record.writeUInt32LE(entry.compressedBytes, at + 4);
  record.writeUInt32LE(entry.bytes, at + 8);
}
