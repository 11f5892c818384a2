// The extra fields of an entry: Zip64 sizes, and a second name in a Unicode-path field.
import { crc32 } from 'node:zlib';
import { readSafeUInt64 } from './uint64.ts';

const ZIP64 = 0x0001;
const UNICODE_PATH = 0x7075;

/** One extra field: its header ID and its data. */
export type ExtraField = { readonly id: number; readonly data: Buffer };

/** The fields in order, or null if one exceeds the space. Up to three zero bytes of padding may follow. */
export function readExtraFields(extra: Buffer): ExtraField[] | null {
  const fields: ExtraField[] = [];
  let at = 0;
  while (at + 4 <= extra.length) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (end > extra.length) return null;
    fields.push({ id: extra.readUInt16LE(at), data: extra.subarray(at + 4, end) });
    at = end;
  }
  return extra.subarray(at).every((byte) => byte === 0) ? fields : null;
}

export function isZip64Field({ id }: ExtraField): boolean {
  return id === ZIP64;
}

/** The 32-bit fields of a header. Offset and disk are undefined for local headers. */
export type ShortSizes = {
  readonly bytes: number;
  readonly compressedBytes: number;
  readonly offset?: number;
  readonly disk?: number;
};

/** Why a Zip64 field is not valid. */
export type Zip64Fault = 'malformed' | 'arithmetic' | 'ambiguous';

/**
 * The sizes after the Zip64 field (APPNOTE 4.5.3) has replaced those with all bits set. A field may contain more numbers than
 * needed. These must agree with the header, because some readers use them in any case.
 */
export function resolveSizes(
  short: ShortSizes,
  fields: readonly ExtraField[],
): Required<ShortSizes> | Zip64Fault {
  const found = fields.filter(isZip64Field);
  const plain = { offset: 0, disk: 0, ...short };
  const [field] = found;
  if (field === undefined) return plain;
  if (found.length > 1) return 'ambiguous';
  const needed = {
    bytes: short.bytes === 0xffffffff,
    compressedBytes: short.compressedBytes === 0xffffffff,
    offset: short.offset === 0xffffffff,
    disk: short.disk === 0xffff,
  };
  const count = Number(needed.bytes) + Number(needed.compressedBytes) + Number(needed.offset);
  const neededBytes = count * 8 + (needed.disk ? 4 : 0);
  if (field.data.length < neededBytes) return 'malformed';
  const all = { bytes: true, compressedBytes: true, offset: true, disk: true };
  const exact = field.data.length === neededBytes;
  const values = takeNumbers(field.data, exact ? needed : all);
  if (values === null) return 'arithmetic';
  if (!exact && disagrees(values, short, needed)) return 'ambiguous';
  return { ...plain, ...values };
}

type Numbers = { bytes?: number; compressedBytes?: number; offset?: number; disk?: number };

/** The wanted numbers in their fixed order, as far as the field contains them. Null if one is beyond 2^53. */
function takeNumbers(data: Buffer, wanted: Record<keyof Numbers, boolean>): Numbers | null {
  const values: Numbers = {};
  let at = 0;
  for (const key of ['bytes', 'compressedBytes', 'offset'] as const) {
    if (!wanted[key] || at + 8 > data.length) continue;
    const value = readSafeUInt64(data, at);
    if (value === null) return null;
    values[key] = value;
    at += 8;
  }
  if (wanted.disk && at + 4 <= data.length) values.disk = data.readUInt32LE(at);
  return values;
}

function disagrees(
  values: Numbers,
  short: ShortSizes,
  needed: Record<keyof Numbers, boolean>,
): boolean {
  return (['bytes', 'compressedBytes', 'offset', 'disk'] as const).some((key) =>
    needed[key]
      ? values[key] === undefined
      : values[key] !== undefined && short[key] !== undefined && values[key] !== short[key],
  );
}

/** Whether every Unicode-path field (APPNOTE 4.6.9) is intact, has the checksum of this name, and has the same name. */
export function unicodePathsAgree(fields: readonly ExtraField[], name: Buffer): boolean {
  return fields
    .filter((field) => field.id === UNICODE_PATH)
    .every(
      ({ data }) =>
        data.length >= 5 &&
        data[0] === 1 &&
        data.readUInt32LE(1) === crc32(name) &&
        data.subarray(5).equals(name),
    );
}
