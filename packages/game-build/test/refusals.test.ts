// The finding of a rejected archive: the entry, the broken rule, and the fact in one sentence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import {
  BuildError,
  type BuildLimits,
  bufferSource,
  extractEntries,
  type Refusal,
  readArchive,
} from '../src/index.ts';
import { honest, INDEX, JUNK, named, TEXT, withEntry } from './defects/cases.ts';
import { buildZip, type EntrySpec, extraField, u16, u32, u64, unicodePath } from './zip-builder.ts';

async function findingsOf(
  zip: Buffer,
  limits: Partial<BuildLimits> = {},
): Promise<readonly Refusal[]> {
  try {
    await using archive = await readArchive(bufferSource(zip), limits);
    await extractEntries(archive, null);
    return [];
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    assert.equal(error.message, error.findings[0]?.message);
    return error.findings;
  }
}

/** An archive, the entry of its only finding (null: the whole archive), the rule, and the message. */
type Row = readonly [
  make: () => Buffer,
  entry: string | null,
  rule: string,
  message: string,
  limits?: Partial<BuildLimits>,
];

async function assertSaid(rows: readonly Row[]): Promise<void> {
  for (const [make, entry, rule, message, limits] of rows) {
    const [first, ...others] = await findingsOf(make(), limits);
    assert.deepEqual([first?.entry, first?.rule, first?.message], [entry, rule, message]);
    assert.deepEqual(others, []);
  }
}

const entry = (spec: Partial<EntrySpec>): (() => Buffer) =>
  withEntry({ name: 'a', data: 'x', ...spec });
const mode = (format: number): (() => Buffer) => entry({ attributes: (format | 0o644) << 16 });

test('a rejected name is reported with its broken rule', async () => {
  const long = 'b'.repeat(60_000);
  await assertSaid([
    [entry({ name: '' }), '', 'path_empty', '"" is an empty name.'],
    [withEntry({ name: '/' }), '/', 'path_absolute', '"/" is an absolute path.'],
    [named('/a'), '/a', 'path_absolute', '"/a" is an absolute path.'],
    [named('C:/a'), 'C:/a', 'path_drive', '"C:/a" begins with a drive letter.'],
    [
      named('ab:c'),
      'ab:c',
      'path_colon',
      '"ab:c" contains a colon, which names a stream on Windows.',
    ],
    [named('a\\b'), 'a\\b', 'path_backslash', '"a\\\\b" contains a backslash.'],
    [named('a//b'), 'a//b', 'path_empty_segment', '"a//b" has an empty segment.'],
    [named('a/../b'), 'a/../b', 'path_dot_segment', '"a/../b" has a "." or ".." segment.'],
    [
      named('a./b'),
      'a./b',
      'path_trailing_dot_or_space',
      '"a./b" has a segment that ends in a dot or space.',
    ],
    [
      named('a/Nul .txt'),
      'a/Nul .txt',
      'path_reserved',
      '"a/Nul .txt" has a segment that is the Windows device NUL.',
    ],
    [
      named(Buffer.from('caf\x82', 'latin1')),
      'caf\ufffd',
      'path_not_utf8',
      '"caf\ufffd" has a name that is not valid UTF-8.',
    ],
    [
      named(`${'a/'.repeat(32)}b`),
      `${'a/'.repeat(32)}b`,
      'path_levels',
      `"${'a/'.repeat(32)}b" is 33 levels deep; 32 are allowed.`,
    ],
    [
      named(`${'ü'.repeat(120)}b`),
      `${'ü'.repeat(120)}b`,
      'path_bytes',
      `"${'ü'.repeat(100)}…" is 241 bytes long; 240 are allowed.`,
    ],
    // A message has only the beginning of a long name.
    [
      named(long),
      long.slice(0, 300),
      'path_bytes',
      `"${long.slice(0, 100)}…" is 60000 bytes long.`,
    ],
  ]);
});

test('a name in a message is quoted, escaped, and cut after 100 characters', async () => {
  const control = 'contains a control character.';
  const dot = 'has a segment that ends in a dot or space.';
  const rows: [name: string, message: string][] = [
    ['a\u0007b', `"a\\u0007b" ${control}`],
    ['a\u007fb', `"a\\u007fb" ${control}`],
    ['a\u0085b', `"a\\u0085b" ${control}`],
    ['a\u202eb', `"a\\u202eb" ${control}`],
    ['a\u2028b', `"a\\u2028b" ${control}`],
    ['a"b\u200b.', `"a\\"b\\u200b." ${dot}`],
    ['a\u{e0041}.', `"a\\ue0041." ${dot}`],
    [`${'a'.repeat(99)}.`, `"${'a'.repeat(99)}." ${dot}`],
    [`${'a'.repeat(100)}.`, `"${'a'.repeat(100)}…" ${dot}`],
  ];
  for (const [name, message] of rows) {
    const [finding] = await findingsOf(named(name)());
    assert.deepEqual([finding?.entry, finding?.message], [name, message]);
  }
});

test('a collision names the second entry and the first', async () => {
  const both = (...names: string[]) => {
    return () => buildZip([INDEX, ...names.map((name) => ({ name }))]);
  };
  const same = 'on systems that ignore case and the Unicode form of accents.';
  await assertSaid([
    [both('a/b', 'a/b'), 'a/b', 'collision', '"a/b" exists twice.'],
    [both('a/', 'a/'), 'a/', 'collision', '"a/" exists twice.'],
    [both('a', 'A'), 'A', 'collision', `"A" has the same name as "a" ${same}`],
    [both('b/a', 'B/c'), 'B/c', 'collision', `"B/c" has the same name as "b" ${same}`],
    [both('a', 'a/b'), 'a/b', 'collision', '"a/b" makes "a" both a file and a folder.'],
    [both('a/b', 'a'), 'a', 'collision', '"a" makes "a" both a file and a folder.'],
  ]);
});

test('a rejected kind of entry is named', async () => {
  const asi = (format: number): (() => Buffer) =>
    entry({ extra: extraField(0x756e, u32(0), u16(format | 0o644)) });
  const rows: [make: () => Buffer, what: string][] = [
    [mode(0o010000), 'a pipe'],
    [mode(0o020000), 'a character device'],
    [mode(0o060000), 'a block device'],
    [mode(0o120000), 'a symbolic link'],
    [mode(0o140000), 'a socket'],
    [mode(0o150000), 'of an unknown kind'],
    [asi(0o120000), 'a symbolic link'],
    [asi(0o160000), 'of an unknown kind'],
    [entry({ extra: extraField(0x6c78, Buffer.from([0x84]), u32(0)) }), 'of an unknown kind'],
    [
      entry({ extra: extraField(0x000d, Buffer.alloc(12), Buffer.from('b')) }),
      'a link or a device',
    ],
    [entry({ host: 0, attributes: 0x400 }), 'a Windows link (reparse point)'],
    [entry({ host: 0, attributes: 0x40 }), 'a device'],
    [entry({ host: 0, attributes: 0x08 }), 'a volume label'],
    [entry({ host: 3, attributes: 0x08 }), 'a volume label'],
    [entry({ attributes: ((0o100644 << 16) | 0x10) >>> 0 }), 'a file and a folder at once'],
  ];
  await assertSaid(rows.map(([make, what]): Row => [make, 'a', 'kind', `"a" is ${what}.`]));
  await assertSaid([
    [mode(0o040000), 'a', 'kind', '"a" is named as a file and marked as a folder.'],
    [
      withEntry({ name: 'a/', attributes: (0o100644 << 16) >>> 0 }),
      'a/',
      'kind',
      '"a/" is named as a folder and marked as a file.',
    ],
    [withEntry({ name: 'a/', data: 'x' }), 'a/', 'folder_data', '"a/" is a folder with data.'],
  ]);
});

test('a rejected method, version and encryption are named', async () => {
  const methods: [method: number, name: string][] = [
    [1, 'Shrink'],
    [6, 'Implode'],
    [9, 'Deflate64'],
    [12, 'bzip2'],
    [14, 'LZMA'],
    [20, 'Zstandard (old number)'],
    [93, 'Zstandard'],
    [95, 'XZ'],
    [96, 'JPEG'],
    [97, 'WavPack'],
    [98, 'PPMd'],
    [4711, 'method 4711'],
  ];
  await assertSaid(
    methods.map(([method, name]): Row => {
      return [entry({ method }), 'a', 'method', `"a" is compressed with ${name}.`];
    }),
  );
  const newer = (): Buffer => {
    const zip = buildZip([INDEX]);
    zip[zip.indexOf('PK\x01\x02') + 6] = 47;
    return zip;
  };
  await assertSaid([
    [entry({ flags: 0x20 }), 'a', 'method', '"a" is patched data.'],
    [newer, 'index.html', 'version_needed', '"index.html" needs version 4.7 of the format.'],
    [entry({ flags: 1 }), 'a', 'encrypted', '"a" is encrypted.'],
    [entry({ flags: 0x40 }), 'a', 'encrypted', '"a" is encrypted.'],
    [entry({ flags: 0x2000 }), 'a', 'encrypted', '"a" is encrypted.'],
    [entry({ method: 99 }), 'a', 'encrypted', '"a" is encrypted.'],
  ]);
});

test('a wrong size, checksum or end of data is reported with its numbers', async () => {
  const deflated = deflateRawSync(Buffer.from('one '.repeat(100)));
  const said = (raw: Buffer, spec: Partial<EntrySpec> = {}) => withEntry({ ...TEXT, raw, ...spec });
  await assertSaid([
    [
      entry({ bytes: 2 }),
      'a',
      'size_impossible',
      '"a" declares 2 bytes from 1 compressed bytes, which is impossible.',
    ],
    [
      withEntry({ ...TEXT, bytes: 399 }),
      'notes.txt',
      'size_long',
      '"notes.txt" has more than the declared 399 bytes.',
    ],
    [
      // zlib requires an output of at least one byte.
      withEntry({ name: 'none', data: 'x', raw: deflateRawSync('x'), method: 8, bytes: 0 }),
      'none',
      'size_long',
      '"none" has more than the declared 0 bytes.',
    ],
    [
      withEntry({ ...TEXT, bytes: 401 }),
      'notes.txt',
      'size_short',
      '"notes.txt" has 400 bytes; 401 are declared.',
    ],
    [entry({ crc: 0xab }), 'a', 'crc', '"a" has the CRC-32 8cdc1683; 000000ab is declared.'],
    [
      said(deflated.subarray(0, -1)),
      'notes.txt',
      'deflate_unfinished',
      '"notes.txt" has compressed data without an end.',
    ],
    [
      said(Buffer.from('ffffffff', 'hex')),
      'notes.txt',
      'deflate_invalid',
      '"notes.txt" has compressed data that is not valid Deflate.',
    ],
    [
      said(Buffer.concat([deflated, JUNK])),
      'notes.txt',
      'deflate_trailing',
      '"notes.txt" has bytes after the end of its compressed data.',
    ],
  ]);
});

test('an impossible size is rejected by the headers alone', async () => {
  const said = (spec: Partial<EntrySpec>): Buffer =>
    withEntry({ name: 'a', raw: Buffer.alloc(100), ...spec })();
  await using possible = await readArchive(bufferSource(said({ method: 8, bytes: 103_200 })));
  assert.equal(possible.entries[1]?.bytes, 103_200);
  for (const spec of [
    { method: 8, bytes: 103_201 },
    { method: 0, bytes: 99 },
    { method: 0, bytes: 101 },
  ]) {
    await assert.rejects(
      readArchive(bufferSource(said(spec))),
      { code: 'zip_size_mismatch' },
      JSON.stringify(spec),
    );
  }
  // No size is reported for unreadable data.
  for (const [spec, rule] of [
    [{ method: 12, bytes: 1_000_000 }, 'method'],
    [{ method: 0, flags: 1, bytes: 88 }, 'encrypted'],
  ] as const) {
    const findings = await findingsOf(said(spec));
    assert.deepEqual(
      findings.map((finding) => finding.rule),
      [rule],
    );
  }
});

test('an exceeded limit is reported with both numbers', async () => {
  const zip = (): Buffer => buildZip([INDEX, { ...TEXT, deflate: false }]);
  const { length } = zip();
  await assertSaid([
    [zip, null, 'files', 'The build has 2 files; 1 are allowed.', { files: 1 }],
    [
      zip,
      'notes.txt',
      'file_bytes',
      '"notes.txt" has 400 bytes; 399 are allowed.',
      { file_bytes: 399 },
    ],
    [
      zip,
      null,
      'expanded_bytes',
      'All files together have 431 bytes; 430 are allowed.',
      { expanded_bytes: 430 },
    ],
    [
      zip,
      null,
      'zip_bytes',
      `The ZIP has ${length} bytes; ${length - 1} are allowed.`,
      { zip_bytes: length - 1 },
    ],
    [
      () => buildZip([INDEX, ...['a/', 'b/', 'c/', 'd/'].map((name) => ({ name }))]),
      null,
      'entries',
      'The ZIP has 5 entries or more; 1 files are allowed.',
      { files: 1 },
    ],
  ]);
});

test('a wrong structure is reported with its record', async () => {
  const end = 'The end record and the Zip64 end record do not agree.';
  const foreign = 'Foreign bytes are in or after the Zip64 end record.';
  const split = 'The ZIP is one part of a split or spanned archive.';
  const plain = buildZip([INDEX, TEXT]);
  const directory = plain.readUInt32LE(plain.length - 6);
  const directoryEnd = plain.length - 22;
  await assertSaid([
    [() => Buffer.from('PK'), null, 'end_missing', 'The file has 2 bytes and is not a ZIP.'],
    [
      () => plain.subarray(0, 100),
      null,
      'end_missing',
      'The end record is missing: the file is not a ZIP, or only the beginning of one.',
    ],
    [honest({ trailer: JUNK }), null, 'bytes_after_end', 'Bytes follow the end record of the ZIP.'],
    [
      honest({ comment: plain.subarray(-22) }),
      null,
      'end_doubled',
      'The ZIP has more than one end record.',
    ],
    [
      honest({ prefix: JUNK }),
      null,
      'bytes_before',
      `${JUNK.length} foreign bytes are before the first entry.`,
    ],
    [
      honest({ beforeDirectory: JUNK, end: { directoryOffset: directory } }),
      null,
      'directory_bounds',
      `${JUNK.length} foreign bytes are before the entries, or between the central directory and its end record.`,
    ],
    [
      honest({ end: { directoryBytes: directoryEnd - directory + 1 } }),
      null,
      'directory_bounds',
      `The central directory ends at byte ${directoryEnd + 1}, after its end record at byte ${directoryEnd}.`,
    ],
    [honest({ end: { directoryDisk: 1 } }), null, 'disks', split],
    [honest({ end64: { disks: 2 } }), null, 'disks', split],
    [honest({ end64: { disk: 1 } }), null, 'disks', split],
    [
      honest({ end: { onDisk: 1 } }),
      null,
      'count_mismatch',
      'The end record has two different counts of entries: 1 and 2.',
    ],
    [
      honest({ end: { entries: 3 } }),
      null,
      'count_mismatch',
      'The end record counts 3 entries, but the central directory has 2.',
    ],
    [
      honest({ end: { entries: 0 } }),
      null,
      'count_mismatch',
      'The end record counts 0 entries, but the central directory has at least 1.',
    ],
    [honest({ end64: { extensible: JUNK } }), null, 'zip64_extent', foreign],
    [honest({ end64: { between: JUNK } }), null, 'zip64_extent', foreign],
    [honest({ end64: { onDisk: 1n } }), null, 'zip64_disagrees', end],
    [honest({ end64: {}, end: { entries: 1 } }), null, 'zip64_disagrees', end],
    [
      honest({ end64: { locatorOffset: 1n << 40n } }),
      null,
      'zip64_bounds',
      'The Zip64 end record is out of bounds.',
    ],
    [
      honest({ end64: { signature: 0x06064b51 } }),
      null,
      'zip64_missing',
      'The Zip64 end record is missing.',
    ],
    [
      honest({ end64: { entries: 1n << 53n }, end: { entries: 0xffff } }),
      null,
      'zip64_arithmetic',
      'The Zip64 end record contains a number beyond 2^53.',
    ],
  ]);
});

test('a wrong header is reported with its entry and field', async () => {
  const other = (what: string): string =>
    `"a" has different values for ${what} in its local header and in the central directory.`;
  const local = (fields: EntrySpec['local']): (() => Buffer) => entry({ local: fields ?? {} });
  const number = (...parts: Buffer[]): Partial<EntrySpec> => ({
    central: { bytes: 0xffffffff, extra: extraField(1, ...parts) },
  });
  const torn = Buffer.from('0100ff00', 'hex');
  const unfit = 'has a data descriptor that does not agree with the central directory.';
  await assertSaid([
    [local({ name: 'b' }), 'a', 'local_name', other('name')],
    [local({ method: 8 }), 'a', 'local_method', other('method')],
    [local({ flags: 2 }), 'a', 'local_flags', other('flags')],
    [local({ crc: 1 }), 'a', 'local_crc', other('crc')],
    [local({ bytes: 2 }), 'a', 'local_size', other('size')],
    [local({ compressedBytes: 2 }), 'a', 'local_size', other('size')],
    [
      local({ extra: torn }),
      'a',
      'extra_bounds',
      '"a" has local extra fields that exceed their space.',
    ],
    [
      entry({ central: { extra: torn } }),
      'a',
      'extra_bounds',
      '"a" has extra fields that exceed their space.',
    ],
    [
      entry({ local: { extra: unicodePath('a', 'b') } }),
      'a',
      'unicode_path_disagrees',
      '"a" has another name in a Unicode-path field.',
    ],
    [
      entry({ central: { extra: unicodePath('a', 'b') } }),
      'a',
      'unicode_path_disagrees',
      '"a" has another name in a Unicode-path field.',
    ],
    [entry(number(u32(1))), 'a', 'zip64_bounds', '"a" has a Zip64 field that is cut off.'],
    [entry(number(u64(1n << 53n))), 'a', 'zip64_arithmetic', '"a" has a Zip64 number beyond 2^53.'],
    [
      entry({ central: { extra: extraField(1, u64(5), u64(1)) } }),
      'a',
      'zip64_disagrees',
      '"a" has Zip64 sizes that disagree.',
    ],
    [
      entry({ disk: 1 }),
      'a',
      'disks',
      '"a" is on another disk of a split archive, according to its header.',
    ],
    [entry({ descriptor: Buffer.alloc(16) }), 'a', 'descriptor_disagrees', `"a" ${unfit}`],
    [
      () => buildZip([INDEX, { name: 'a', data: 'x' }, { name: 'b', data: 'x', gap: JUNK }]),
      'a',
      'bytes_between',
      `"a" is followed by ${JUNK.length} bytes that belong to no entry.`,
    ],
  ]);
});
