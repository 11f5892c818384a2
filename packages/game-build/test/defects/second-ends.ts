// Stored data, of a length that only its descriptor tells, with a descriptor inside.
import { crc32 } from 'node:zlib';
import { buildZip, u32, u64 } from '../zip-builder.ts';
import { INDEX, TEXT, withEntry } from './cases.ts';

/** Stored data that could end where a descriptor inside it stands: from there on it is another archive. */
function secondEnd(before: Buffer, descriptor: (before: Buffer) => Buffer): () => Buffer {
  const data = Buffer.concat([before, descriptor(before), buildZip([INDEX, TEXT])]);
  return withEntry({ name: 'a.bin', data, descriptor: 'signed32' });
}

function secondEnds(): [string, () => Buffer][] {
  // The last one has the descriptor stand across the border between two chunks.
  const befores = [0, 2, 3 << 20, (3 << 20) - 5].map((length) => Buffer.alloc(length, 7));
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

export const SECOND_END_DEFECTS: Readonly<Record<string, () => Buffer>> = Object.fromEntries(
  secondEnds(),
);
