// Unusual but valid archives are accepted, as written by real tools, and by tools that do not run here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import {
  type BuildLimits,
  bufferSource,
  extractEntries,
  type RefusalCode,
  readArchive,
} from '../src/index.ts';
import { buildZip, type EntrySpec, extraField, u16, u32, u64, unicodePath } from './zip-builder.ts';

const INDEX: EntrySpec = { name: 'index.html', data: '<!doctype html><title>x</title>' };
const TEXT: EntrySpec = { name: 'notes.txt', data: 'one '.repeat(100), deflate: true };

async function accept(zip: Buffer, limits: Partial<BuildLimits> = {}) {
  await using archive = await readArchive(bufferSource(zip), limits);
  return await extractEntries(archive, null);
}

async function pathsOf(zip: Buffer): Promise<string[]> {
  return (await accept(zip)).files.map((file) => file.path);
}

const HONEST: Readonly<Record<string, () => Buffer>> = {
  'a comment of its exact length': () =>
    buildZip([INDEX, TEXT], { comment: Buffer.from('made by hand') }),
  'the longest comment': () => buildZip([INDEX, TEXT], { comment: Buffer.alloc(65_535, 0x20) }),
  'entry comments': () => buildZip([INDEX, { ...TEXT, comment: 'a comment' }]),
  'Zip64 end records that are not needed': () => buildZip([INDEX, TEXT], { end64: {} }),
  'numbers that are only in Zip64 end records': () =>
    buildZip([INDEX, TEXT], {
      end64: {},
      end: { entries: 0xffff, directoryBytes: 0xffffffff, directoryOffset: 0xffffffff },
    }),
  'Zip64 sizes in every header': () =>
    buildZip(
      [
        { ...INDEX, zip64: true },
        { ...TEXT, zip64: true },
      ],
      { end64: {} },
    ),
  'a Zip64 field with the numbers of the header': () =>
    buildZip([
      INDEX,
      { name: 'notes.txt', data: 'x', central: { extra: extraField(1, u64(1), u64(1)) } },
    ]),
  'a Zip64 field with more numbers than the header needs': () =>
    buildZip([
      INDEX,
      {
        name: 'notes.txt',
        data: 'x',
        central: { bytes: 0xffffffff, extra: extraField(1, u64(1), u64(1)) },
      },
    ]),
  'a Zip64 field with the disk only': () =>
    buildZip([INDEX, { ...TEXT, disk: 0xffff, central: { extra: extraField(1, u32(0)) } }]),
  'a Zip64 field with all numbers, although the header needs none': () =>
    buildZip([
      { name: 'notes.txt', data: 'x', central: { extra: extraField(1, ...wideNumbers(1)) } },
      INDEX,
    ]),
  'a data descriptor with the values of the local header': () => {
    const { bytes, compressedBytes, crc } = textHeader();
    const local = { bytes, compressedBytes, crc };
    return buildZip([INDEX, { ...TEXT, descriptor: 'signed32', local }]);
  },
  'a data descriptor with its signature': () =>
    buildZip([INDEX, { ...TEXT, descriptor: 'signed32' }]),
  'a data descriptor without its signature': () =>
    buildZip([INDEX, { ...TEXT, descriptor: 'plain32' }]),
  'a data descriptor with 64-bit sizes': () =>
    buildZip([INDEX, { ...TEXT, descriptor: 'signed64', zip64: true }]),
  'a data descriptor with 64-bit sizes, without its signature': () =>
    buildZip([INDEX, { ...TEXT, descriptor: 'plain64', zip64: true }]),
  'a data descriptor after stored data': () =>
    buildZip([INDEX, { ...TEXT, deflate: false, descriptor: 'signed32' }]),
  'an archive with descriptors, stored with a descriptor': () => {
    const inner = buildZip([
      { ...TEXT, descriptor: 'signed32' },
      { name: 'a', data: 'x', descriptor: 'plain32' },
      { name: 'b', data: Buffer.alloc(3 << 20, 'PK'), descriptor: 'signed32' },
    ]);
    return buildZip([INDEX, { name: 'notes.txt', data: inner, descriptor: 'signed32' }]);
  },
  'a data descriptor whose CRC-32 is the signature': () => {
    // The CRC-32 of these bytes is 0x08074b50, so the plain descriptor begins like a signed one.
    const data = bytesOfCrc(0x08074b50);
    assert.equal(crc32(data), 0x08074b50);
    return buildZip([INDEX, { name: 'notes.txt', data, descriptor: 'plain32' }]);
  },
  'an end record inside stored data': () =>
    buildZip([INDEX, { name: 'notes.txt', data: buildZip([TEXT]) }]),
  'a directory in another order than the entries': () =>
    buildZip([TEXT, INDEX], { directory: (headers) => headers.toReversed() }),
  'the times and owners of Unix': () =>
    buildZip([
      {
        ...INDEX,
        extra: Buffer.concat([
          extraField(0x5455, Buffer.from([1]), u32(0)),
          extraField(0x7875, Buffer.from('0104e803000004e8030000', 'hex')),
        ]),
      },
      {
        ...TEXT,
        local: { extra: extraField(0x5455, Buffer.from([3]), u32(0), u32(0)) },
        central: { extra: extraField(0x5455, Buffer.from([3]), u32(0)) },
      },
    ]),
  'the times of NTFS': () =>
    buildZip([
      INDEX,
      {
        ...TEXT,
        central: { extra: extraField(0x000a, u32(0), u16(1), u16(24), Buffer.alloc(24)) },
      },
    ]),
  'padding after local extra fields': () =>
    buildZip([INDEX, { ...TEXT, local: { extra: Buffer.alloc(3) } }]),
  'a Unicode path with the same name': () =>
    buildZip([INDEX, { ...TEXT, extra: unicodePath('notes.txt', 'notes.txt') }]),
  'set-user-id and sticky bits': () =>
    buildZip([INDEX, { ...TEXT, attributes: (0o107777 << 16) >>> 0 }]),
  'extra fields that declare a file, or no kind': () =>
    buildZip([
      {
        ...INDEX,
        extra: Buffer.concat([
          extraField(0x000d, u32(0), u32(0), u16(0), u16(0)),
          extraField(0x756e, u32(0), u16(0o100644)),
          extraField(0x756e, u32(0)),
        ]),
      },
      {
        ...TEXT,
        extra: Buffer.concat([
          extraField(0x6c78, Buffer.from([7]), u16(0x031e), u16(0), u32((0o100644 << 16) >>> 0)),
          extraField(0x6c78, Buffer.from([3]), u16(0x031e), u16(0), u32(0o120777 << 16)),
          extraField(0x6c78, Buffer.from([4]), u16(0)),
          extraField(0x6c78),
        ]),
      },
    ]),
  'bits of a Windows link and device on another system': () =>
    buildZip([
      { ...INDEX, host: 3, attributes: 0x440 },
      { ...TEXT, host: 19, attributes: 0x440 },
    ]),
  'attributes of Windows': () =>
    buildZip([
      { ...INDEX, host: 0, attributes: 0x20 },
      { ...TEXT, host: 11, attributes: 0x21 },
    ]),
  'the Unix mode that 7-Zip adds on Windows': () =>
    buildZip([INDEX, { ...TEXT, host: 0, attributes: ((0o100644 << 16) | 0x8020) >>> 0 }]),
  'no attributes at all': () =>
    buildZip([
      { ...INDEX, host: 0 },
      { ...TEXT, host: 0 },
    ]),
  'data that Deflate compresses to a thousandth': () =>
    buildZip([INDEX, { name: 'notes.txt', data: Buffer.alloc(1 << 20), deflate: true }]),
  'an entry that needs version 4.6': () => {
    const zip = buildZip([INDEX, TEXT]);
    zip[zip.indexOf('PK\x01\x02') + 6] = 46;
    return zip;
  },
  'flags that do not change the form of the data': () =>
    buildZip([INDEX, { ...TEXT, flags: 0xd796 }]),
  'attributes of Windows in a field of libarchive without a system': () =>
    buildZip([INDEX, { ...TEXT, extra: extraField(0x6c78, Buffer.from([4]), u32(0x440)) }]),
  'maximum compression flags': () => buildZip([INDEX, { ...TEXT, flags: 2 }]),
  'the UTF-8 flag with ASCII letters': () =>
    buildZip([
      { ...INDEX, flags: 0x800 },
      { ...TEXT, flags: 0x800 },
    ]),
};

/** Sizes, offset and disk of the first entry, as in a Zip64 field. */
function wideNumbers(bytes: number): Buffer[] {
  return [u64(bytes), u64(bytes), u64(0), u32(0)];
}

/** The values in the header of a deflated text. */
function textHeader(): { bytes: number; compressedBytes: number; crc: number } {
  const zip = buildZip([TEXT]);
  return {
    crc: zip.readUInt32LE(14),
    compressedBytes: zip.readUInt32LE(18),
    bytes: zip.readUInt32LE(22),
  };
}

for (const [what, make] of Object.entries(HONEST)) {
  test(`readArchive accepts ${what}`, async () => {
    assert.deepEqual(await pathsOf(make()), ['index.html', 'notes.txt']);
  });
}

/** Four bytes with this CRC-32, computed by running the register backwards over the polynomial's table. */
function bytesOfCrc(wanted: number): Buffer {
  const bytes = Buffer.alloc(4);
  let register = ~wanted >>> 0;
  for (let i = 0; i < 32; i++) {
    register = (register & 0x80000000) !== 0 ? ((register ^ 0xedb88320) << 1) | 1 : register << 1;
    register >>>= 0;
  }
  bytes.writeUInt32LE((register ^ 0xffffffff) >>> 0);
  return bytes;
}

test('readArchive accepts names in UTF-8, with and without the flag, and keeps their form', async () => {
  const names = [
    '日本語/ステージ.png',
    'é-composed.txt',
    'é-decomposed.txt',
    '🎮 game 👩‍👩‍👧.txt',
    'Ünïcödé',
    '：full-width colon',
  ];
  for (const flags of [0, 0x800]) {
    const zip = buildZip([INDEX, ...names.map((name) => ({ name, flags }))]);
    assert.deepEqual(new Set(await pathsOf(zip)), new Set(['index.html', ...names]));
  }
});

test('readArchive accepts names that only resemble forbidden ones', async () => {
  const names = [
    'console.js',
    'com10',
    'comet/lpt',
    'auxiliary.js',
    'nullable',
    '.hidden',
    '..a',
    'a..b',
    '...a',
    'a b',
    'ı',
    'i',
    'c/on',
    "it's (1) [x] {y} #&%+,;=@!~`^$",
    'COM',
    'LPT0',
    'a?b',
    'x*"<>|',
  ];
  const zip = buildZip([INDEX, ...names.map((name) => ({ name: `n/${name}` }))]);
  assert.equal((await accept(zip)).file_count, names.length + 1);
});

test('readArchive accepts an archive of macOS and drops what macOS added', async () => {
  const mac = {
    descriptor: 'signed32',
    deflate: true,
    attributes: (0o100644 << 16) >>> 0,
  } as const;
  const folder = { attributes: ((0o040755 << 16) | 0x10) >>> 0 };
  const zip = buildZip([
    { ...folder, name: 'Game/' },
    { ...mac, name: 'Game/index.html', data: '<title>x</title>' },
    { ...mac, name: '__MACOSX/Game/._index.html', data: Buffer.alloc(120) },
    { ...mac, name: 'Game/.DS_Store', data: Buffer.alloc(6148) },
    { ...folder, name: 'Game/assets/' },
    { ...mac, name: 'Game/assets/hero.png', data: Buffer.alloc(1000, 7) },
    { ...mac, name: '__MACOSX/Game/assets/._hero.png', data: Buffer.alloc(120) },
    { ...mac, name: 'Game/assets/__MACOSX/._hero.png', data: Buffer.alloc(120) },
  ]);
  const build = await accept(zip);
  assert.equal(build.root, 'Game');
  assert.deepEqual(
    build.files.map((file) => file.path),
    ['assets/hero.png', 'index.html'],
  );
  assert.deepEqual(build.dropped, [
    '__MACOSX/Game/._index.html',
    'Game/.DS_Store',
    '__MACOSX/Game/assets/._hero.png',
    'Game/assets/__MACOSX/._hero.png',
  ]);
  assert.ok(build.warnings.some((warning) => warning.code === 'junk_dropped'));
});

test('readArchive accepts an archive of Windows Explorer', async () => {
  const windows = { host: 0, attributes: 0x20, deflate: true } as const;
  const zip = buildZip([
    { host: 0, attributes: 0x10, name: 'build/' },
    { ...windows, name: 'build/index.html', data: '<title>x</title>' },
    { ...windows, name: 'build/Thumbs.db', data: 'x' },
    { ...windows, name: 'build/assets/desktop.ini', data: 'x' },
    { ...windows, name: 'build/assets/Grüße.png', data: 'x' },
  ]);
  const build = await accept(zip);
  assert.deepEqual(
    build.files.map((file) => file.path),
    ['assets/Grüße.png', 'index.html'],
  );
  assert.equal(build.dropped.length, 2);
});

test('readArchive uses an index.html at the top as the root, also if a folder has one', async () => {
  const build = await accept(buildZip([INDEX, { ...INDEX, name: 'game/index.html' }]));
  assert.equal(build.root, '');
  assert.equal(build.file_count, 2);
});

test('readArchive keeps nested archives as plain files', async () => {
  const inner = buildZip([{ name: '../../escape', data: 'x' }]);
  const build = await accept(buildZip([INDEX, { name: 'inner.zip', data: inner }]));
  assert.equal(build.files[1]?.type, 'application/zip');
  assert.equal(build.files[1]?.bytes, inner.length);
});

test('readArchive accepts the exact value of each limit, and rejects one more', async () => {
  const junk = { ...TEXT, name: '__MACOSX/notes.txt' };
  const cases: [Partial<BuildLimits>, Partial<BuildLimits>, EntrySpec[], RefusalCode][] = [
    [
      { files: 3 },
      { files: 2 },
      [{ name: 'a' }, { name: 'd/' }, { name: 'd/b' }, { name: '.DS_Store' }],
      'zip_too_many_entries',
    ],
    [{ file_bytes: 400 }, { file_bytes: 399 }, [TEXT], 'zip_file_too_large'],
    [{ file_bytes: 400 }, { file_bytes: 399 }, [junk], 'zip_file_too_large'],
    [{ expanded_bytes: 431 }, { expanded_bytes: 430 }, [TEXT], 'zip_expansion_limit'],
    [{ expanded_bytes: 431 }, { expanded_bytes: 430 }, [junk], 'zip_expansion_limit'],
    [{ path_bytes: 12 }, { path_bytes: 11 }, [{ name: 'a/ü/0123456' }], 'zip_path_invalid'],
    // The name of a dropped entry may be 64 bytes longer, with any number of levels.
    [
      { path_bytes: 12 },
      { path_bytes: 11 },
      [{ name: `__MACOSX/${'a'.repeat(67)}` }],
      'zip_path_invalid',
    ],
    [
      { path_levels: 4 },
      { path_levels: 3 },
      [{ name: 'a/b/c/d' }, { name: '__MACOSX/a/b/c/d/e' }],
      'zip_path_invalid',
    ],
  ];
  for (const [fits, tooSmall, entries, code] of cases) {
    const zip = buildZip([INDEX, ...entries]);
    await accept(zip, fits);
    await assert.rejects(accept(zip, tooSmall), { code }, JSON.stringify(tooSmall));
    await accept(zip, { zip_bytes: zip.length });
    await assert.rejects(accept(zip, { zip_bytes: zip.length - 1 }), { code: 'payload_too_large' });
  }
});

test('readArchive accepts four entries for each allowed file, including folders and junk, and no more', async () => {
  const folders = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `f${i}/` }));
  const junk = { name: '__MACOSX/a' };
  await accept(buildZip([INDEX, ...folders(6), junk]), { files: 2 });
  await assert.rejects(accept(buildZip([INDEX, ...folders(7), junk]), { files: 2 }), {
    code: 'zip_too_many_entries',
  });
});

test('readArchive accepts 10,000 files with their folders and the files that macOS adds', async () => {
  const files = Array.from({ length: 9_999 }, (_, i) => `f/${i % 100}/${i}`);
  const junk = files.map((name) => `__MACOSX/${name}`);
  const folders = Array.from({ length: 100 }, (_, i) => `f/${i}/`);
  const zip = buildZip([INDEX, ...[...folders, ...files, ...junk].map((name) => ({ name }))]);
  assert.equal((await accept(zip)).file_count, 10_000);
});
