// Defects of the container: records, counts, offsets, headers that do not agree.
import { crc32, deflateRawSync } from 'node:zlib';
import { quotedOverlapBomb } from '../overlap-bomb.ts';
import { buildZip, extraField, type HeaderFields, u32, u64, unicodePath } from '../zip-builder.ts';
import { honest, INDEX, JUNK, TEXT, withEntry } from './cases.ts';

/** Many central headers that refer to one local header. */
function sharedEntry(count: number): Buffer {
  return buildZip([{ name: 'a', data: Buffer.alloc(100_000), deflate: true }, INDEX], {
    directory: ([first = Buffer.alloc(0), index = Buffer.alloc(0)]) => [
      ...Array.from({ length: count }, (_, i) => renamed(first, i)),
      index,
    ],
    end: { entries: count + 1 },
  });
}

function renamed(header: Buffer, i: number): Buffer {
  const copy = Buffer.from(header);
  copy[46] = 0x61 + (i % 26);
  return copy;
}

/** Descriptors with the right CRC-32 and one wrong size: for each form, each of the two sizes. */
function descriptorSizes(): [string, () => Buffer][] {
  const data = Buffer.from(TEXT.data ?? '');
  const compressed = deflateRawSync(data).length;
  const wrong = {
    'compressed-size': [compressed + 1, data.length],
    size: [compressed, data.length + 1],
    'swapped-sizes': [data.length, compressed],
  } as const;
  return [true, false].flatMap((signed) =>
    [u32, u64].flatMap((number) =>
      Object.entries(wrong).map(([what, sizes]): [string, () => Buffer] => {
        const wide = number === u64;
        const parts = [u32(crc32(data)), ...sizes.map((size) => number(size))];
        const descriptor = Buffer.concat(signed ? [u32(0x08074b50), ...parts] : parts);
        const name = `${signed ? 'signed' : 'plain'}-${wide ? 64 : 32}-${what}`;
        return [
          `zip_ambiguous--descriptor-${name}`,
          withEntry({ ...TEXT, descriptor, zip64: wide }),
        ];
      }),
    ),
  );
}

/** Zip64 fields with more numbers than the header needs, one of which differs from the header's. */
function zip64Extras(): [string, () => Buffer][] {
  const right = [u64(1), u64(1), u64(OFFSET), u32(0)];
  const wrong: Readonly<Record<string, [at: number, number: Buffer]>> = {
    size: [0, u64(2)],
    'compressed-size': [1, u64(2)],
    offset: [2, u64(OFFSET + 1)],
    disk: [3, u32(1)],
  };
  const said = (name: string, parts: Buffer[], central: HeaderFields & { offset?: number } = {}) =>
    [
      `zip_ambiguous--zip64-extra-${name}`,
      withEntry({ name: 'a', data: 'x', central: { ...central, extra: extraField(1, ...parts) } }),
    ] as [string, () => Buffer];
  return [
    ...Object.entries(wrong).map(([name, [at, number]]) => said(name, right.with(at, number))),
    said('other-size-than-asked', [u64(1), u64(2)], { bytes: 0xffffffff }),
    // Two sizes that the header does not need, and no offset.
    said('without-what-is-asked', right.slice(0, 2), { offset: 0xffffffff }),
  ];
}

/** The offset of the second entry of an archive whose first entry is the index. */
const OFFSET = buildZip([INDEX]).indexOf('PK\x01\x02', 0, 'latin1');

export const STRUCTURE_DEFECTS: Readonly<Record<string, () => Buffer>> = {
  ...Object.fromEntries(descriptorSizes()),
  'zip_malformed--empty-file': () => Buffer.alloc(0),
  'zip_malformed--one-byte': () => Buffer.from('P'),
  'zip_malformed--text': () => Buffer.from('<!doctype html><p>not a zip</p>'),
  'zip_malformed--gzip': () => Buffer.concat([Buffer.from('1f8b0800', 'hex'), Buffer.alloc(500)]),
  'zip_malformed--zeros': () => Buffer.alloc(100_000),
  'zip_malformed--only-local-part': () => buildZip([INDEX, TEXT]).subarray(0, 60),
  'zip_malformed--comment-cut': honest({ end: { commentBytes: 10 } }),
  'zip_malformed--disk-number': honest({ end: { disk: 1 } }),
  'zip_malformed--directory-disk': honest({ end: { directoryDisk: 2 } }),
  'zip_malformed--entry-disk': withEntry({ ...TEXT, disk: 1 }),
  'zip_malformed--entry-disk-all-ones': withEntry({ ...TEXT, disk: 0xffff }),
  'zip_malformed--zip64-disks': honest({ end64: { disks: 2 } }),
  'zip_malformed--zip64-no-disks': honest({ end64: { disks: 0 } }),
  'zip_malformed--zip64-disk-number': honest({ end64: { disk: 1 } }),
  'zip_malformed--zip64-directory-disk': () => {
    const zip = buildZip([INDEX, TEXT], { end64: {} });
    zip[zip.indexOf('PK\x06\x06', 0, 'latin1') + 20] = 1;
    return zip;
  },
  'zip_malformed--zip64-locator-disk': honest({ end64: { locatorDisk: 1 } }),
  'zip_malformed--zip64-locator-beyond': honest({ end64: { locatorOffset: 1n << 40n } }),
  'zip_malformed--zip64-locator-2-63': honest({ end64: { locatorOffset: (1n << 64n) - 1n } }),
  'zip_malformed--zip64-signature': honest({ end64: { signature: 0x06064b51 } }),
  'zip_malformed--zip64-count-2-53': honest({
    end64: { entries: 1n << 53n },
    end: { entries: 0xffff },
  }),
  'zip_malformed--zip64-offset-2-64': honest({
    end64: { directoryOffset: (1n << 64n) - 1n },
    end: { directoryOffset: 0xffffffff },
  }),
  'zip_malformed--zip64-bytes-2-63': honest({
    end64: { directoryBytes: 1n << 63n },
    end: { directoryBytes: 0xffffffff },
  }),
  'zip_malformed--directory-offset-beyond': honest({ end: { directoryOffset: 1 << 30 } }),
  'zip_malformed--directory-bytes-beyond': honest({ end: { directoryBytes: 1 << 30 } }),
  'zip_malformed--directory-bytes-all-ones': honest({ end: { directoryBytes: 0xffffffff } }),
  'zip_malformed--header-signature': honest({
    directory: ([a = Buffer.alloc(0), b = Buffer.alloc(0)]) => [
      a,
      Buffer.concat([Buffer.from('PKxx'), b.subarray(4)]),
    ],
  }),
  'zip_malformed--local-signature': () => {
    const zip = buildZip([INDEX, TEXT]);
    zip[3] = 5;
    return zip;
  },
  'zip_malformed--entry-behind-directory': withEntry({ ...TEXT, central: { offset: 600 } }),
  'zip_malformed--entry-at-directory': () => {
    const zip = buildZip([INDEX, TEXT]);
    const offset = zip.readUInt32LE(zip.length - 6);
    return buildZip([INDEX, { ...TEXT, central: { offset } }]);
  },
  'zip_malformed--entry-beyond-file': withEntry({ ...TEXT, central: { offset: 0x7fffffff } }),
  'zip_malformed--extra-over-end': withEntry({
    name: 'a',
    data: 'x',
    central: { extra: Buffer.from('0100ff00', 'hex') },
  }),
  'zip_malformed--local-extra-over-end': withEntry({
    name: 'a',
    data: 'x',
    local: { extra: Buffer.from('5554ff0000', 'hex') },
  }),
  'zip_malformed--extra-odd-tail': withEntry({
    name: 'a',
    data: 'x',
    extra: Buffer.from('010203', 'hex'),
  }),
  'zip_malformed--zip64-extra-cut': withEntry({
    name: 'a',
    data: 'x',
    central: { bytes: 0xffffffff, extra: extraField(1, u32(1)) },
  }),
  'zip_malformed--local-zip64-extra-cut': withEntry({
    name: 'a',
    data: 'x',
    local: { bytes: 0xffffffff, extra: extraField(1, u32(1)) },
  }),
  'zip_malformed--zip64-entry-disk': withEntry({
    ...TEXT,
    disk: 0xffff,
    central: { extra: extraField(1, u32(1)) },
  }),
  'zip_malformed--zip64-size-2-53': withEntry({
    name: 'a',
    data: 'x',
    central: { bytes: 0xffffffff, extra: extraField(1, u64(1n << 53n)) },
  }),
  'zip_malformed--zip64-size-2-64': withEntry({
    name: 'a',
    data: 'x',
    central: { compressedBytes: 0xffffffff, extra: extraField(1, u64((1n << 64n) - 1n)) },
  }),
  'zip_malformed--deflate-garbage': withEntry({
    name: 'a',
    data: 'abcd',
    raw: Buffer.from('ffffffff', 'hex'),
    method: 8,
  }),
  'zip_malformed--deflate-unfinished': withEntry({
    ...TEXT,
    raw: deflateRawSync(Buffer.from('one '.repeat(100))).subarray(0, -1),
  }),
  'zip_ambiguous--prefix': honest({ prefix: JUNK }),
  'zip_ambiguous--prefix-not-in-offsets': honest({ prefix: JUNK, offsetsIgnorePrefix: true }),
  'zip_ambiguous--spanning-marker': honest({ prefix: Buffer.from('PK00') }),
  'zip_ambiguous--windows-stub': honest({
    prefix: Buffer.concat([Buffer.from('MZ'), Buffer.alloc(4096)]),
  }),
  'zip_ambiguous--one-byte-prefix': honest({ prefix: Buffer.from('\n') }),
  'zip_ambiguous--trailer': honest({ trailer: JUNK }),
  'zip_ambiguous--one-byte-trailer': honest({ trailer: Buffer.from('\n') }),
  'zip_ambiguous--trailer-behind-comment': honest({ comment: Buffer.from('hi'), trailer: JUNK }),
  'zip_ambiguous--gap': withEntry({ ...TEXT, gap: JUNK }),
  'zip_ambiguous--one-byte-gap': withEntry({ ...TEXT, gap: Buffer.from([0]) }),
  'zip_ambiguous--bytes-before-directory': honest({ beforeDirectory: JUNK }),
  'zip_ambiguous--bytes-after-directory': honest({ afterDirectory: JUNK }),
  'zip_ambiguous--hidden-entry': honest({
    directory: ([index = Buffer.alloc(0)]) => [index],
    end: { entries: 1 },
  }),
  'zip_ambiguous--hidden-directory': () => {
    const decoy = buildZip([{ name: 'index.html', data: 'decoy' }]);
    return buildZip([INDEX], {
      beforeDirectory: decoy.subarray(decoy.length - 22 - 56, decoy.length - 22),
    });
  },
  'zip_ambiguous--empty-archive-with-prefix': () => buildZip([], { prefix: JUNK }),
  'zip_ambiguous--two-end-records': () => {
    const inner = buildZip([INDEX]);
    return buildZip([INDEX, TEXT], { comment: inner.subarray(inner.length - 22) });
  },
  'zip_ambiguous--archive-in-comment': honest({ comment: buildZip([INDEX]) }),
  'zip_ambiguous--end-signature-in-comment': honest({
    comment: Buffer.concat([Buffer.from('504b0506', 'hex'), Buffer.alloc(40)]),
  }),
  'zip_ambiguous--count-too-low': honest({ end: { entries: 1 } }),
  'zip_ambiguous--count-too-high': honest({ end: { entries: 3 } }),
  'zip_ambiguous--count-zero': honest({ end: { entries: 0 } }),
  'zip_ambiguous--counts-differ': honest({ end: { onDisk: 1 } }),
  'zip_ambiguous--count-wraps-at-65536': () => {
    const many = Array.from({ length: 65_536 }, (_, i) => ({
      name: i === 0 ? 'index.html' : `f/${i}`,
    }));
    return buildZip(many);
  },
  'zip_ambiguous--zip64-count-differs': honest({ end64: { entries: 3n } }),
  'zip_ambiguous--zip64-on-disk-differs': honest({ end64: { onDisk: 1n } }),
  'zip_ambiguous--zip64-offset-differs': honest({ end64: { directoryOffset: 0n } }),
  'zip_ambiguous--zip64-short-count-differs': honest({ end64: {}, end: { entries: 1 } }),
  'zip_ambiguous--zip64-short-on-disk-differs': honest({ end64: {}, end: { onDisk: 1 } }),
  'zip_ambiguous--zip64-short-bytes-differ': honest({ end64: {}, end: { directoryBytes: 5 } }),
  'zip_ambiguous--zip64-short-offset-differs': honest({ end64: {}, end: { directoryOffset: 5 } }),
  'zip_ambiguous--zip64-bytes-between': honest({ end64: { between: JUNK } }),
  'zip_ambiguous--zip64-extensible': honest({ end64: { extensible: JUNK } }),
  'zip_ambiguous--zip64-record-bytes': honest({ end64: { recordBytes: 1000n } }),
  'zip_ambiguous--zip64-extra-says-other': withEntry({
    name: 'a',
    data: 'x',
    central: { extra: extraField(1, u64(5), u64(1)) },
  }),
  ...Object.fromEntries(zip64Extras()),
  'zip_ambiguous--zip64-extra-twice': withEntry({
    name: 'a',
    data: 'x',
    central: {
      bytes: 0xffffffff,
      extra: Buffer.concat([extraField(1, u64(1)), extraField(1, u64(2))]),
    },
  }),
  'zip_ambiguous--local-name': withEntry({ name: 'a.txt', data: 'x', local: { name: 'b.txt' } }),
  'zip_ambiguous--local-name-case': withEntry({
    name: 'a.txt',
    data: 'x',
    local: { name: 'A.txt' },
  }),
  'zip_ambiguous--local-name-longer': withEntry({
    name: 'a.txt',
    data: 'x',
    local: { name: '../a.txt' },
  }),
  'zip_ambiguous--local-method': withEntry({ name: 'a', data: 'x', local: { method: 8 } }),
  'zip_ambiguous--local-flags': withEntry({ name: 'a', data: 'x', local: { flags: 0x800 } }),
  'zip_ambiguous--local-descriptor-flag-only': withEntry({
    name: 'a',
    data: 'x',
    local: { flags: 8 },
  }),
  'zip_ambiguous--local-crc': withEntry({ name: 'a', data: 'x', local: { crc: 1 } }),
  'zip_ambiguous--local-crc-zero': withEntry({ name: 'a', data: 'x', local: { crc: 0 } }),
  'zip_ambiguous--local-size': withEntry({ ...TEXT, local: { bytes: 1 } }),
  'zip_ambiguous--local-compressed-size': withEntry({ ...TEXT, local: { compressedBytes: 1 } }),
  'zip_ambiguous--local-zip64-size': withEntry({
    name: 'a',
    data: 'x',
    local: { bytes: 0xffffffff, compressedBytes: 0xffffffff, extra: extraField(1, u64(9), u64(9)) },
  }),
  'zip_ambiguous--descriptor-missing': withEntry({
    name: 'a',
    data: 'x',
    descriptor: Buffer.alloc(0),
  }),
  'zip_ambiguous--descriptor-of-64-bits-without-zip64': withEntry({
    ...TEXT,
    descriptor: 'signed64',
  }),
  'zip_ambiguous--descriptor-of-32-bits-with-zip64': withEntry({
    ...TEXT,
    descriptor: 'signed32',
    zip64: true,
  }),
  'zip_ambiguous--descriptor-too-long': withEntry({
    name: 'a',
    data: 'x',
    descriptor: Buffer.alloc(30),
  }),
  'zip_ambiguous--descriptor-crc': withEntry({
    name: 'a',
    data: 'x',
    descriptor: Buffer.concat([u32(0x08074b50), u32(1), u32(1), u32(1)]),
  }),
  'zip_ambiguous--descriptor-signature': withEntry({
    name: 'a',
    data: 'x',
    descriptor: Buffer.concat([u32(0x08074b51), u32(0x8cdc1683), u32(1), u32(1)]),
  }),
  'zip_ambiguous--descriptor-not-announced': withEntry({
    name: 'a',
    data: 'x',
    descriptor: 'signed32',
    flags: 0,
    local: { crc: 0x8cdc1683, bytes: 1, compressedBytes: 1 },
  }),
  'zip_ambiguous--sizes-in-local-disagree-with-descriptor': withEntry({
    name: 'a',
    data: 'x',
    descriptor: 'signed32',
    local: { bytes: 7, compressedBytes: 7 },
  }),
  'zip_ambiguous--unicode-path': withEntry({
    name: 'a.txt',
    data: 'x',
    extra: unicodePath('a.txt', '../a.txt'),
  }),
  'zip_ambiguous--unicode-path-only-local': withEntry({
    name: 'a.txt',
    data: 'x',
    local: { extra: unicodePath('a.txt', 'b.txt') },
  }),
  'zip_ambiguous--unicode-path-only-central': withEntry({
    name: 'a.txt',
    data: 'x',
    central: { extra: unicodePath('a.txt', 'b.txt') },
  }),
  'zip_ambiguous--unicode-path-wrong-crc': withEntry({
    name: 'a.txt',
    data: 'x',
    extra: unicodePath('a.txt', 'a.txt', 1),
  }),
  'zip_ambiguous--unicode-path-other-version': withEntry({
    name: 'a',
    data: 'x',
    extra: extraField(0x7075, Buffer.from([2]), u32(0xe8b7be43), Buffer.from('a')),
  }),
  'zip_ambiguous--unicode-path-cut': withEntry({
    name: 'a',
    data: 'x',
    extra: extraField(0x7075, Buffer.from([1, 2])),
  }),
  'zip_ambiguous--unicode-path-second-of-two': withEntry({
    name: 'a',
    data: 'x',
    extra: Buffer.concat([unicodePath('a', 'a'), unicodePath('a', 'b')]),
  }),
  'zip_overlap--shared-entry': () => sharedEntry(20),
  'zip_overlap--quoted-bomb': () => quotedOverlapBomb(250),
  'zip_overlap--same-header-twice': withEntry(TEXT, {
    directory: ([a = Buffer.alloc(0), b = Buffer.alloc(0)]) => [a, b, renamed(b, 25)],
    end: { entries: 3 },
  }),
  'zip_overlap--into-next': () => buildZip([{ ...INDEX, compressedBytes: 60, bytes: 60 }, TEXT]),
  'zip_overlap--into-directory': withEntry({
    name: 'a',
    data: 'x',
    compressedBytes: 50,
    bytes: 50,
  }),
  'zip_overlap--by-one-byte': () => {
    const zip = buildZip([INDEX, TEXT]);
    zip.writeUInt16LE(1, 28);
    return zip;
  },
  'zip_overlap--by-local-extra': () => {
    const zip = buildZip([INDEX, TEXT]);
    zip.writeUInt16LE(40, 28);
    return zip;
  },
  'zip_ambiguous--cp437-with-unicode-path': () => {
    const name = Buffer.from('caf\x82.txt', 'latin1');
    return buildZip([INDEX, { name, data: 'x', extra: unicodePath(name, 'café.txt') }]);
  },
};
