// Stored data whose length is only in its descriptor, with another descriptor inside.
import { crc32 } from 'node:zlib';
import { buildZip, u32, u64 } from '../zip-builder.ts';
import { INDEX, TEXT, withEntry } from './cases.ts';

/** Stored data that could end at a descriptor inside it. From there on it is another archive. */
function secondEnd(before: Buffer, descriptor: (before: Buffer) => Buffer): () => Buffer {
  const data = Buffer.concat([before, descriptor(before), buildZip([INDEX, TEXT])]);
  return withEntry({ name: 'a.bin', data, descriptor: 'signed32' });
}

function secondEnds(): [string, () => Buffer][] {
  // In the last ones the descriptor crosses the border between two chunks, or ends right before it.
  const lengths = [0, 2, 3 << 20, (3 << 20) - 5, (3 << 20) - 28];
  const befores = lengths.map((length) => Buffer.alloc(length, 7));
  return befores.flatMap((before) =>
    Object.entries(DESCRIPTORS).map(([kind, descriptor]): [string, () => Buffer] => [
      `zip_ambiguous--${kind}-descriptor-inside-stored-data-${before.length}`,
      secondEnd(before, descriptor),
    ]),
  );
}

const SIGNATURE = u32(0x08074b50);
const DESCRIPTORS: Readonly<Record<string, (before: Buffer) => Buffer>> = {
  signed: (before) => Buffer.concat([SIGNATURE, u32(crc32(before)), ...sizes(before.length)]),
  'right-size': ({ length }) => Buffer.concat([SIGNATURE, u32(1), ...sizes(length)]),
  'right-crc': (before) =>
    Buffer.concat([SIGNATURE, u32(crc32(before)), ...sizes(before.length + 1)]),
  plain: (before) => Buffer.concat([u32(crc32(before)), ...sizes(before.length)]),
  'plain-wide': (before) =>
    Buffer.concat([u32(crc32(before)), u64(before.length), u64(before.length)]),
};

function sizes(length: number): Buffer[] {
  return [u32(length), u32(length)];
}

/** The last bytes of the data are the signature, CRC-32 and one size. The real descriptor has another size. */
function cutDescriptor(length: number): [string, () => Buffer] {
  const before = Buffer.alloc(length, 7);
  const data = Buffer.concat([before, SIGNATURE, u32(crc32(before)), u32(length)]);
  return [
    `zip_ambiguous--descriptor-at-the-end-of-stored-data-${length}`,
    withEntry({ name: 'a.bin', data, descriptor: 'signed32' }),
  ];
}

export const SECOND_END_DEFECTS: Readonly<Record<string, () => Buffer>> = Object.fromEntries([
  ...secondEnds(),
  cutDescriptor(2),
  cutDescriptor((3 << 20) + 5),
]);
