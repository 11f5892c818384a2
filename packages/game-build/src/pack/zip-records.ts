// Writes the records of a ZIP without Zip64 and with a fixed time and mode, so that the same files give the same bytes.

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
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE((UNIX << 8) | VERSION, 4);
  head.writeUInt16LE(VERSION, 6);
  head.writeUInt16LE(flagsOf(entry), 8);
  head.writeUInt16LE(entry.method, 10);
  head.writeUInt16LE(DOS_DATE, 14);
  writeSizes(head, 16, entry);
  head.writeUInt16LE(entry.name.length, 28);
  head.writeUInt32LE(MODE * 0x10000, 38);
  head.writeUInt32LE(entry.offset, 42);
  return Buffer.concat([head, entry.name]);
}

export function endRecord(entries: number, directoryBytes: number, offset: number): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(entries, 8);
  record.writeUInt16LE(entries, 10);
  record.writeUInt32LE(directoryBytes, 12);
  record.writeUInt32LE(offset, 16);
  return record;
}

function writeSizes(record: Buffer, at: number, entry: PackedEntry): void {
  record.writeUInt32LE(entry.crc32, at);
  record.writeUInt32LE(entry.compressedBytes, at + 4);
  record.writeUInt32LE(entry.bytes, at + 8);
}
