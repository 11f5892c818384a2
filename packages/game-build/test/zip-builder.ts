// Writes ZIPs byte for byte. They are valid by default; each field of each record can be overridden.
import { crc32, deflateRawSync } from 'node:zlib';

/** Fields of a header that a test sets. */
export type HeaderFields = {
  readonly name?: string | Buffer;
  readonly flags?: number;
  readonly method?: number;
  readonly crc?: number;
  readonly compressedBytes?: number;
  readonly bytes?: number;
  readonly extra?: Buffer;
};

export type EntrySpec = HeaderFields & {
  readonly name: string | Buffer;
  readonly data?: string | Buffer;
  /** Written in place of the compressed data. The sizes in the headers are those of these bytes. */
  readonly raw?: Buffer;
  /** True to deflate the data. It is stored by default. */
  readonly deflate?: boolean;
  readonly descriptor?: 'signed32' | 'plain32' | 'signed64' | 'plain64' | Buffer;
  readonly host?: number;
  readonly attributes?: number;
  readonly comment?: string;
  readonly disk?: number;
  readonly local?: HeaderFields;
  readonly central?: HeaderFields & { readonly offset?: number };
  /** Writes the sizes into Zip64 extra fields in both headers. */
  readonly zip64?: boolean;
  /** Bytes before the local header that belong to no entry. */
  readonly gap?: Buffer;
};

export type ZipSpec = {
  readonly prefix?: Buffer;
  readonly beforeDirectory?: Buffer;
  readonly afterDirectory?: Buffer;
  readonly comment?: Buffer;
  readonly trailer?: Buffer;
  /** Offsets do not count the prefix. */
  readonly offsetsIgnorePrefix?: boolean;
  readonly end?: {
    disk?: number;
    directoryDisk?: number;
    onDisk?: number;
    entries?: number;
    directoryBytes?: number;
    directoryOffset?: number;
    commentBytes?: number;
  };
  readonly end64?: {
    locatorDisk?: number;
    locatorOffset?: bigint;
    disks?: number;
    recordBytes?: bigint;
    disk?: number;
    onDisk?: bigint;
    entries?: bigint;
    directoryBytes?: bigint;
    directoryOffset?: bigint;
    signature?: number;
    extensible?: Buffer;
    between?: Buffer;
  };
  /** Changes the central headers before they are written. */
  readonly directory?: (headers: Buffer[]) => Buffer[];
};

/** The ZIP of the entries. With `end64`, also the Zip64 end records. */
export function buildZip(specs: readonly EntrySpec[], zip: ZipSpec = {}): Buffer {
  const parts: Buffer[] = [zip.prefix ?? Buffer.alloc(0)];
  let at = parts[0]?.length ?? 0;
  const base = zip.offsetsIgnorePrefix === true ? at : 0;
  const push = (part: Buffer): void => {
    parts.push(part);
    at += part.length;
  };
  const headers: Buffer[] = [];
  for (const spec of specs) {
    push(spec.gap ?? Buffer.alloc(0));
    const { local, central } = buildEntry(spec, at - base);
    headers.push(central);
    push(local);
  }
  push(zip.beforeDirectory ?? Buffer.alloc(0));
  const directoryOffset = at - base;
  const directory = Buffer.concat(zip.directory?.(headers) ?? headers);
  push(directory);
  push(zip.afterDirectory ?? Buffer.alloc(0));
  const honest = {
    entries: specs.length,
    directoryBytes: directory.length,
    directoryOffset,
    position: at,
  };
  if (zip.end64 !== undefined) push(endRecords64(honest, zip.end64));
  push(endRecord(honest, zip));
  push(zip.trailer ?? Buffer.alloc(0));
  return Buffer.concat(parts);
}

function buildEntry(spec: EntrySpec, offset: number): { local: Buffer; central: Buffer } {
  const data = Buffer.from(spec.data ?? '');
  const raw = spec.raw ?? (spec.deflate === true ? deflateRawSync(data) : data);
  const unicode = typeof spec.name === 'string' && /[^\0-\x7f]/.test(spec.name);
  const honest = {
    name: Buffer.from(spec.name),
    flags: (spec.descriptor === undefined ? 0 : 8) | (unicode ? 0x800 : 0),
    method: spec.deflate === true ? 8 : 0,
    crc: crc32(data),
    compressedBytes: raw.length,
    bytes: data.length,
    extra: Buffer.alloc(0),
    ...pick(spec),
  };
  const later = spec.descriptor === undefined ? {} : { crc: 0, compressedBytes: 0, bytes: 0 };
  const local = { ...honest, ...later, ...pick(spec.local ?? {}) };
  const central = { ...honest, offset, ...pick(spec.central ?? {}) };
  if (spec.central?.offset !== undefined) central.offset = spec.central.offset;
  return {
    local: Buffer.concat([
      localHeader(local, spec.zip64 === true),
      raw,
      descriptorOf(spec, honest),
    ]),
    central: centralHeader(central, spec),
  };
}

type Fields = Required<Omit<HeaderFields, 'name'>> & { name: Buffer };

function pick(fields: HeaderFields): Partial<Fields> {
  const { name, flags, method, crc, compressedBytes, bytes, extra } = fields;
  return Object.fromEntries(
    Object.entries({
      name: name === undefined ? undefined : Buffer.from(name),
      flags,
      method,
      crc,
      compressedBytes,
      bytes,
      extra,
    }).filter(([, value]) => value !== undefined),
  );
}

function localHeader(fields: Fields, zip64: boolean): Buffer {
  const extra = zip64
    ? Buffer.concat([extraField(1, u64(fields.bytes), u64(fields.compressedBytes)), fields.extra])
    : fields.extra;
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(zip64 ? 45 : 20, 4);
  head.writeUInt16LE(fields.flags, 6);
  head.writeUInt16LE(fields.method, 8);
  head.writeUInt16LE(0x0021, 12);
  head.writeUInt32LE(fields.crc, 14);
  head.writeUInt32LE(zip64 ? 0xffffffff : fields.compressedBytes, 18);
  head.writeUInt32LE(zip64 ? 0xffffffff : fields.bytes, 22);
  head.writeUInt16LE(fields.name.length, 26);
  head.writeUInt16LE(extra.length, 28);
  return Buffer.concat([head, fields.name, extra]);
}

function centralHeader(fields: Fields & { offset: number }, spec: EntrySpec): Buffer {
  const zip64 = spec.zip64 === true;
  const numbers = [u64(fields.bytes), u64(fields.compressedBytes), u64(fields.offset)];
  const extra = zip64 ? Buffer.concat([extraField(1, ...numbers), fields.extra]) : fields.extra;
  const comment = Buffer.from(spec.comment ?? '');
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE(((spec.host ?? 3) << 8) | 20, 4);
  head.writeUInt16LE(zip64 ? 45 : 20, 6);
  head.writeUInt16LE(fields.flags, 8);
  head.writeUInt16LE(fields.method, 10);
  head.writeUInt16LE(0x0021, 14);
  head.writeUInt32LE(fields.crc, 16);
  head.writeUInt32LE(zip64 ? 0xffffffff : fields.compressedBytes, 20);
  head.writeUInt32LE(zip64 ? 0xffffffff : fields.bytes, 24);
  head.writeUInt16LE(fields.name.length, 28);
  head.writeUInt16LE(extra.length, 30);
  head.writeUInt16LE(comment.length, 32);
  head.writeUInt16LE(spec.disk ?? 0, 34);
  head.writeUInt32LE((spec.attributes ?? 0) >>> 0, 38);
  head.writeUInt32LE(zip64 ? 0xffffffff : fields.offset, 42);
  return Buffer.concat([head, fields.name, extra, comment]);
}

function descriptorOf(spec: EntrySpec, { crc, compressedBytes, bytes }: Fields): Buffer {
  if (spec.descriptor === undefined) return Buffer.alloc(0);
  if (Buffer.isBuffer(spec.descriptor)) return spec.descriptor;
  const number = spec.descriptor.endsWith('64') ? u64 : u32;
  const signature = spec.descriptor.startsWith('signed') ? u32(0x08074b50) : Buffer.alloc(0);
  return Buffer.concat([signature, u32(crc), number(compressedBytes), number(bytes)]);
}

type Honest = {
  entries: number;
  directoryBytes: number;
  directoryOffset: number;
  position: number;
};

function endRecords64(honest: Honest, end64: NonNullable<ZipSpec['end64']>): Buffer {
  const extensible = end64.extensible ?? Buffer.alloc(0);
  const record = Buffer.alloc(56);
  record.writeUInt32LE(end64.signature ?? 0x06064b50, 0);
  record.writeBigUInt64LE(end64.recordBytes ?? BigInt(44 + extensible.length), 4);
  record.writeUInt16LE(45, 12);
  record.writeUInt16LE(45, 14);
  record.writeUInt32LE(end64.disk ?? 0, 16);
  record.writeBigUInt64LE(end64.onDisk ?? end64.entries ?? BigInt(honest.entries), 24);
  record.writeBigUInt64LE(end64.entries ?? BigInt(honest.entries), 32);
  record.writeBigUInt64LE(end64.directoryBytes ?? BigInt(honest.directoryBytes), 40);
  record.writeBigUInt64LE(end64.directoryOffset ?? BigInt(honest.directoryOffset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeUInt32LE(end64.locatorDisk ?? 0, 4);
  locator.writeBigUInt64LE(end64.locatorOffset ?? BigInt(honest.position), 8);
  locator.writeUInt32LE(end64.disks ?? 1, 16);
  return Buffer.concat([record, extensible, end64.between ?? Buffer.alloc(0), locator]);
}

function endRecord(honest: Honest, { end = {}, comment = Buffer.alloc(0) }: ZipSpec): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(end.disk ?? 0, 4);
  record.writeUInt16LE(end.directoryDisk ?? 0, 6);
  record.writeUInt16LE((end.onDisk ?? end.entries ?? honest.entries) & 0xffff, 8);
  record.writeUInt16LE((end.entries ?? honest.entries) & 0xffff, 10);
  record.writeUInt32LE(end.directoryBytes ?? honest.directoryBytes, 12);
  record.writeUInt32LE(end.directoryOffset ?? honest.directoryOffset, 16);
  record.writeUInt16LE(end.commentBytes ?? comment.length, 20);
  return Buffer.concat([record, comment]);
}

/** An extra field: header ID, size, the parts. */
export function extraField(id: number, ...parts: readonly Buffer[]): Buffer {
  const data = Buffer.concat(parts);
  return Buffer.concat([u16(id), u16(data.length), data]);
}

/** The Unicode-path field (0x7075) that gives `name` to the entry with `headerName` in its header. */
export function unicodePath(headerName: string | Buffer, name: string, crc?: number): Buffer {
  const made = crc ?? crc32(Buffer.from(headerName));
  return extraField(0x7075, Buffer.from([1]), u32(made), Buffer.from(name));
}

export function u16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16LE(value);
  return buffer;
}

export function u32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value >>> 0);
  return buffer;
}

export function u64(value: number | bigint): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}
