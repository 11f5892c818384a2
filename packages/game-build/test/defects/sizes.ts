// Wrong sizes and checksums, and limits.
import { deflateRawSync } from 'node:zlib';
import { buildZip } from '../zip-builder.ts';
import { INDEX, JUNK, TEXT, withEntry } from './cases.ts';

export const SIZES_DEFECTS: Readonly<Record<string, () => Buffer>> = {
  'zip_crc_mismatch--stored': withEntry({ name: 'a', data: 'x', crc: 0xdeadbeef }),
  'zip_crc_mismatch--deflated': withEntry({ ...TEXT, crc: 0 }),
  'zip_crc_mismatch--descriptor': withEntry({
    ...TEXT,
    descriptor: 'signed32',
    crc: 5,
    local: { crc: 0 },
  }),
  'zip_crc_mismatch--empty': withEntry({ name: 'a', crc: 1 }),
  'zip_crc_mismatch--in-dropped-junk': withEntry({ name: '.DS_Store', data: 'x', crc: 1 }),
  'zip_crc_mismatch--large': withEntry({
    name: 'a',
    data: Buffer.alloc(9 << 20, 1),
    deflate: true,
    crc: 1,
  }),
  'zip_size_mismatch--more-than-declared': withEntry({ ...TEXT, bytes: 399 }),
  'zip_size_mismatch--less-than-declared': withEntry({ ...TEXT, bytes: 401 }),
  'zip_size_mismatch--declared-zero': withEntry({ ...TEXT, bytes: 0 }),
  'zip_size_mismatch--bomb-declared-small': withEntry({
    name: 'a',
    data: Buffer.alloc(4 << 20),
    deflate: true,
    bytes: 1024,
  }),
  'zip_size_mismatch--large-more': withEntry({
    name: 'a',
    data: Buffer.alloc(20 << 20),
    deflate: true,
    bytes: (20 << 20) - 1,
  }),
  'zip_size_mismatch--large-less': withEntry({
    name: 'a',
    data: Buffer.alloc(20 << 20),
    deflate: true,
    bytes: (20 << 20) + 1,
  }),
  'zip_size_mismatch--stored': withEntry({ name: 'a', data: 'x', bytes: 2 }),
  'zip_size_mismatch--impossible-ratio': withEntry({ ...TEXT, bytes: 100_000_000 }),
  'zip_size_mismatch--behind-deflate': withEntry({
    ...TEXT,
    raw: Buffer.concat([deflateRawSync(Buffer.from('one '.repeat(100))), JUNK]),
  }),
  'zip_size_mismatch--second-deflate-stream': withEntry({
    ...TEXT,
    raw: Buffer.concat([
      deflateRawSync(Buffer.from('one '.repeat(100))),
      deflateRawSync(Buffer.from('two')),
    ]),
  }),
  'zip_size_mismatch--megabytes-behind-large-deflate': withEntry({
    name: 'a',
    data: Buffer.alloc(20 << 20),
    method: 8,
    raw: Buffer.concat([deflateRawSync(Buffer.alloc(20 << 20)), Buffer.alloc(3 << 20, 7)]),
  }),
  'zip_size_mismatch--behind-large-deflate': withEntry({
    name: 'a',
    data: Buffer.alloc(20 << 20),
    method: 8,
    raw: Buffer.concat([deflateRawSync(Buffer.alloc(20 << 20)), JUNK]),
  }),
  'zip_too_many_entries--10001-files': () =>
    buildZip([INDEX, ...Array.from({ length: 10_000 }, (_, i) => ({ name: `f/${i}` }))]),
  'zip_too_many_entries--65537-files-in-zip64': () =>
    buildZip([INDEX, ...Array.from({ length: 65_536 }, (_, i) => ({ name: `f/${i}` }))], {
      end64: {},
      end: { entries: 0xffff },
    }),
  'zip_too_many_entries--50000-folders': () =>
    buildZip([INDEX, ...Array.from({ length: 50_000 }, (_, i) => ({ name: `f/${i}/` }))]),
  'zip_too_many_entries--140000-that-share-nothing': () => {
    const one = buildZip([INDEX]);
    const local = one.subarray(0, 30 + 10);
    const header = one.subarray(one.indexOf('PK\x01\x02'), one.indexOf('PK\x05\x06'));
    const headers = Array.from({ length: 140_000 }, (_, i) => {
      const copy = Buffer.from(header);
      copy.writeUInt32LE(0, 20);
      copy.writeUInt32LE(0, 24);
      copy.writeUInt32LE(i * local.length, 42);
      return copy;
    });
    const body = Buffer.concat(Array.from({ length: 140_000 }, () => local));
    return buildZip([], {
      prefix: body,
      directory: () => headers,
      end64: { entries: 140_000n },
      end: { entries: 0xffff },
    });
  },
  'zip_file_too_large--declared': withEntry({
    name: 'a',
    raw: Buffer.alloc(600_000),
    method: 8,
    bytes: (512 << 20) + 1,
  }),
  'zip_file_too_large--zip64': withEntry({
    name: 'a',
    raw: Buffer.alloc(5_000_000),
    method: 8,
    zip64: true,
    bytes: 5_000_000_000,
  }),
  'zip_file_too_large--in-dropped-junk': withEntry({
    name: '__MACOSX/a',
    raw: Buffer.alloc(600_000),
    method: 8,
    bytes: (512 << 20) + 1,
  }),
  'zip_expansion_limit--declared': fiveTimes500Mb(''),
  'zip_expansion_limit--in-dropped-junk': fiveTimes500Mb('__MACOSX/'),
};

function fiveTimes500Mb(folder: string): () => Buffer {
  const large = { raw: Buffer.alloc(500_000), method: 8, bytes: 500_000_000 };
  const entries = [0, 1, 2, 3, 4].map((i) => ({ ...large, name: `${folder}f${i}` }));
  return () => buildZip([INDEX, ...entries]);
}
