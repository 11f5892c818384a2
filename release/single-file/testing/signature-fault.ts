// Checks the signature of a program for macOS, as the system does before it runs one. It shares no code with what signs.
// Structures: cs_blobs.h of Apple's xnu.
import { createHash } from 'node:crypto';
import { readMachO } from './read-mach-o.ts';

const PAGE = 4096;

/** Returns what is wrong with the signature, or null if it is valid and says exactly what an ad-hoc one has to say. */
export function signatureFault(program: Buffer, identifier: string): string | null {
  try {
    return [...faults(program, identifier)][0] ?? null;
  } catch (error) {
    return `unreadable: ${error}`;
  }
}

function* faults(program: Buffer, identifier: string): Generator<string> {
  const { parts, segments, commands } = readMachO(program);
  const signatures = parts.filter(({ name }) => name === 'signature');
  const [signature] = signatures;
  if (signature === undefined) return yield 'there is no signature';
  const { offset: limit, bytes } = signature;
  const text = segments.find(({ name }) => name === '__TEXT');
  const linkEdit = segments.find(({ name }) => name === '__LINKEDIT');
  if (text === undefined || linkEdit === undefined) return yield 'a segment is missing';
  if (signatures.length > 1 || commands.at(-1)?.kind !== 0x1d) yield 'it is not the last command';
  if (limit % 16 !== 0) yield 'it is not aligned';
  if (limit + bytes.length !== program.length) yield 'it is not at the end';
  if (linkEdit.offset + linkEdit.size !== program.length) yield '__LINKEDIT does not contain it';
  if (linkEdit.memory < linkEdit.size || linkEdit.memory % 0x4000 !== 0) yield 'it is not mapped';

  const directory = bytes.subarray(20);
  const nameAt = 88;
  const hashesAt = nameAt + Buffer.byteLength(identifier) + 1;
  const pages = Math.ceil(limit / PAGE);
  const expected: [string, unknown, unknown][] = [
    [
      'magic, size, and one blob: the code directory',
      wordsOf(bytes, 0, 5),
      [0xfade0cc0, bytes.length, 1, 0, 20],
    ],
    ['magic of the directory', directory.readUInt32BE(0), 0xfade0c02],
    ['size of the directory', directory.readUInt32BE(4), directory.length],
    ['version', directory.readUInt32BE(8), 0x20400],
    ['flags', directory.readUInt32BE(12), 0x2],
    ['places of hashes and name', wordsOf(directory, 16, 2), [hashesAt, nameAt]],
    ['counts of special and other hashes', wordsOf(directory, 24, 2), [0, pages]],
    ['limit', directory.readUInt32BE(32), limit],
    ['size and kind of hashes, platform, page', [...directory.subarray(36, 40)], [32, 2, 0, 12]],
    ['unused fields', wordsOf(directory, 40, 6), [0, 0, 0, 0, 0, 0]],
    ['start of the executable segment', directory.readBigUInt64BE(64), BigInt(text.offset)],
    ['its size', directory.readBigUInt64BE(72), BigInt(text.size)],
    ['its flags', directory.readBigUInt64BE(80), 1n],
    ['name', directory.toString('utf8', nameAt, hashesAt), `${identifier}\0`],
    ['end of the hashes', directory.length, hashesAt + 32 * pages],
  ];
  for (const [what, actual, wanted] of expected) {
    if (String(actual) !== String(wanted)) yield `${what}: ${actual}, not ${wanted}`;
  }
  for (let page = 0; page < pages; page++) {
    const end = Math.min((page + 1) * PAGE, limit);
    const hash = createHash('sha256')
      .update(program.subarray(page * PAGE, end))
      .digest();
    const at = hashesAt + 32 * page;
    if (!hash.equals(directory.subarray(at, at + 32))) yield `page ${page} has another hash`;
  }
}

function wordsOf(bytes: Buffer, at: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => bytes.readUInt32BE(at + index * 4));
}
