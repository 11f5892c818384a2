// Extra fields of an entry: their list, the 64-bit numbers in them, and the second name that one of them may hold.
import { crc32 } from 'node:zlib';
import { readSafeUInt64 } from './uint64.ts';

const ZIP64 = 0x0001;
const UNICODE_PATH = 0x7075;

/** One extra field: its header ID and its data. */
export type ExtraField = { readonly id: number; readonly data: Buffer };

/** The fields in their order, or null where one reaches over the end. Up to three bytes of padding may follow. */
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

/** What the 32-bit fields of a header say. Local headers have no offset and no disk: undefined there. */
export type ShortSizes = {
  readonly bytes: number;
  readonly compressedBytes: number;
  readonly offset?: number;
  readonly disk?: number;
};

/** Why 64-bit numbers were not taken. */
export type Zip64Fault = 'malformed' | 'arithmetic' | 'ambiguous';

/**
 * The sizes after the Zip64 field (APPNOTE 4.5.3) has replaced those that are all ones. A field that holds more than it
 * is asked for must say the same of what is not all ones, for there are readers that take it as it stands.
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
  const asked = {
    bytes: short.bytes === 0xffffffff,
    compressedBytes: short.compressedBytes === 0xffffffff,
    offset: short.offset === 0xffffffff,
    disk: short.disk === 0xffff,
  };
  const count = Number(asked.bytes) + Number(asked.compressedBytes) + Number(asked.offset);
  const askedBytes = count * 8 + (asked.disk ? 4 : 0);
  if (field.data.length < askedBytes) return 'malformed';
  const all = { bytes: true, compressedBytes: true, offset: true, disk: true };
  const exact = field.data.length === askedBytes;
  const values = takeNumbers(field.data, exact ? asked : all);
  if (values === null) return 'arithmetic';
  if (!exact && disagrees(values, short, asked)) return 'ambiguous';
  return { ...plain, ...values };
}

type Numbers = { bytes?: number; compressedBytes?: number; offset?: number; disk?: number };

/** The wanted numbers in their fixed order, as many as there are; null where one is beyond 2^53. */
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
  asked: Record<keyof Numbers, boolean>,
): boolean {
  return (['bytes', 'compressedBytes', 'offset', 'disk'] as const).some((key) =>
    asked[key]
      ? values[key] === undefined
      : values[key] !== undefined && short[key] !== undefined && values[key] !== short[key],
  );
}

/** True where every Unicode-path field (APPNOTE 4.6.9) is intact, is made for this name, and says the same name. */
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
