// Entries that are not plain files or folders, or are written in a form that is not accepted.
import { buildZip, extraField, u16, u32 } from '../zip-builder.ts';
import { INDEX, withEntry } from './cases.ts';

const LINK_HOSTS = [0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 13, 14, 16, 18, 19, 30, 255];

function mode(format: number, host = 3): () => Buffer {
  return withEntry({ name: 'thing', data: 'index.html', host, attributes: (format | 0o777) << 16 });
}

const METHODS: Readonly<Record<string, number>> = {
  shrink: 1,
  reduce: 2,
  implode: 6,
  tokenized: 7,
  deflate64: 9,
  dcl: 10,
  bzip2: 12,
  lzma: 14,
  terse: 18,
  lz77: 19,
  'zstd-old': 20,
  zstd: 93,
  mp3: 94,
  xz: 95,
  jpeg: 96,
  wavpack: 97,
  ppmd: 98,
  unknown: 4711,
};

function links(): [string, () => Buffer][] {
  return LINK_HOSTS.map((host) => [
    `zip_entry_type--symlink-of-host-${host}`,
    mode(0o120000, host),
  ]);
}

/** MS-DOS and OS/2, both numbers of NTFS, VFAT. */
function windowsKinds(): [string, () => Buffer][] {
  return [0, 6, 10, 11, 14].flatMap((host): [string, () => Buffer][] => [
    [
      `zip_entry_type--reparse-point-of-host-${host}`,
      withEntry({ name: 'a', host, attributes: 0x420 }),
    ],
    [`zip_entry_type--device-of-host-${host}`, withEntry({ name: 'a', host, attributes: 0x40 })],
  ]);
}

function methods(): [string, () => Buffer][] {
  return Object.entries(METHODS).map(([name, method]) => [
    `zip_method_unsupported--${name}`,
    withEntry({ name: 'a.bin', data: 'abc', method }),
  ]);
}

function needsVersion(version: number): () => Buffer {
  return () => {
    const zip = buildZip([INDEX]);
    zip[zip.indexOf('PK\x01\x02') + 6] = version;
    return zip;
  };
}

export const ENTRIES_DEFECTS: Readonly<Record<string, () => Buffer>> = {
  ...Object.fromEntries([...links(), ...windowsKinds(), ...methods()]),
  'zip_entry_type--symlink': mode(0o120000),
  'zip_entry_type--pipe': mode(0o010000),
  'zip_entry_type--character-device': mode(0o020000),
  'zip_entry_type--block-device': mode(0o060000),
  'zip_entry_type--socket': mode(0o140000),
  'zip_entry_type--door': mode(0o150000),
  'zip_entry_type--symlink-named-as-folder': withEntry({ name: 'a/', attributes: 0o120777 << 16 }),
  'zip_entry_type--volume-label': withEntry({ name: 'a', host: 0, attributes: 0x08 }),
  'zip_entry_type--folder-with-data': withEntry({ name: 'a/', data: 'x', attributes: 0x10 }),
  'zip_entry_type--folder-mode-without-slash': withEntry({ name: 'a', attributes: 0o040755 << 16 }),
  'zip_entry_type--folder-bit-without-slash': withEntry({ name: 'a', host: 0, attributes: 0x10 }),
  'zip_entry_type--file-mode-with-slash': withEntry({ name: 'a/', attributes: 0o100644 << 16 }),
  'zip_entry_type--file-mode-with-folder-bit': withEntry({
    name: 'a',
    attributes: ((0o100644 << 16) | 0x10) >>> 0,
  }),
  'zip_entry_type--link-in-asi-extra': withEntry({
    name: 'a',
    data: 'x',
    extra: extraField(0x756e, u32(0), u16(0o120777), u32(1), u16(0), u16(0), Buffer.from('b')),
  }),
  'zip_entry_type--link-in-pkware-extra': withEntry({
    name: 'a',
    data: 'x',
    extra: extraField(0x000d, u32(0), u32(0), u16(0), u16(0), Buffer.from('/etc/passwd')),
  }),
  'zip_entry_type--one-byte-in-pkware-extra': withEntry({
    name: 'a',
    data: 'x',
    extra: extraField(0x000d, u32(0), u32(0), u16(0), u16(0), Buffer.from('b')),
  }),
  'zip_entry_type--pipe-in-shortest-asi-extra': withEntry({
    name: 'a',
    data: 'x',
    extra: extraField(0x756e, u32(0), u16(0o010777)),
  }),
  'zip_entry_type--folder-in-asi-extra': withEntry({
    name: 'a',
    data: 'x',
    extra: extraField(0x756e, u32(0), u16(0o040755)),
  }),
  'zip_entry_type--unknown-bits-in-glance': withEntry({
    name: 'a',
    data: 'x',
    extra: extraField(0x6c78, Buffer.from([0x80])),
  }),
  'zip_entry_type--link-alone-in-glance': withEntry({
    name: 'a',
    data: 'x',
    extra: extraField(0x6c78, Buffer.from([4]), u32(0o120777 << 16)),
  }),
  'zip_entry_type--windows-link-in-glance': withEntry({
    name: 'a',
    data: 'x',
    extra: extraField(0x6c78, Buffer.from([5]), u16(0x0b14), u32(0x400)),
  }),
  'zip_entry_type--link-in-local-glance': withEntry({
    name: 'a',
    data: 'x',
    local: {
      extra: extraField(0x6c78, Buffer.from([7]), u16(0x031e), u16(0), u32(0o120777 << 16)),
    },
  }),
  'zip_entry_type--dropped-symlink': withEntry({
    name: '__MACOSX/a',
    data: '/etc',
    attributes: 0o120777 << 16,
  }),
  'zip_encrypted--zipcrypto': withEntry({ name: 'a', raw: Buffer.alloc(13), data: 'x', flags: 1 }),
  'zip_encrypted--strong': withEntry({ name: 'a', data: 'x', flags: 0x41 }),
  'zip_encrypted--strong-bit-alone': withEntry({ name: 'a', data: 'x', flags: 0x40 }),
  'zip_encrypted--masked-headers': withEntry({ name: 'a', data: 'x', flags: 0x2000 }),
  'zip_encrypted--aes': withEntry({
    name: 'a',
    data: 'x',
    flags: 1,
    method: 99,
    extra: extraField(0x9901, u16(2), Buffer.from('AE'), Buffer.from([3]), u16(8)),
  }),
  'zip_encrypted--aes-method-alone': withEntry({ name: 'a', data: 'x', method: 99 }),
  // The ratio of other methods is unknown.
  'zip_method_unsupported--bzip2-shrunk-much': withEntry({
    name: 'a',
    raw: Buffer.alloc(10),
    method: 12,
    bytes: 1_000_000,
  }),
  'zip_entry_type--volume-label-of-unix': withEntry({ name: 'a', host: 3, attributes: 0x08 }),
  'zip_method_unsupported--version-needed': needsVersion(63),
  'zip_method_unsupported--version-needed-4.7': needsVersion(47),
  'zip_method_unsupported--patch': withEntry({ name: 'a', data: 'x', flags: 0x20 }),
};
