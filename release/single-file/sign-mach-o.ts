// Signs a program for macOS without an identity ("ad hoc"). Macs with Apple's processors run no program without a signature.
// Structures: <Security/CSCommon.h> and cs_blobs.h of Apple's xnu. All numbers in a signature are big-endian.
import { createHash } from 'node:crypto';
import { COMMAND, loadCommands, offsetOfLinkEdit, SEGMENT, segmentNamed } from './mach-o.ts';

const PAGE_BITS = 12;
const PAGE_BYTES = 2 ** PAGE_BITS;
const SEGMENT_PAGE_BYTES = 16_384;
const HASH_BYTES = 32;
const SUPER_BLOB = 0xfa_de_0c_c0;
const CODE_DIRECTORY = 0xfa_de_0c_02;
const VERSION_WITH_EXEC_SEGMENT = 0x2_04_00;
const AD_HOC = 0x2;
const SHA256 = 2;
const MAIN_BINARY = 1n;
const DIRECTORY_BYTES = 88;
const SUPER_BLOB_BYTES = 20;
const COMMAND_BYTES = 16;
const SEGMENT_BYTES = 72;
const SECTION_BYTES = 80;
const SECTION_OFFSET = 48;

/** Returns the signed program. Throws if it is signed already, or does not end with the segment __LINKEDIT. */
export function signMachO(program: Buffer, identifier: string): Buffer {
  const start = offsetOfLinkEdit(program);
  const limit = Math.ceil(program.length / 16) * 16;
  const pages = Math.ceil(limit / PAGE_BYTES);
  const name = Buffer.from(`${identifier}\0`);
  const directoryBytes = DIRECTORY_BYTES + name.length + pages * HASH_BYTES;
  const size = SUPER_BLOB_BYTES + directoryBytes;
  const signed = Buffer.concat([program, Buffer.alloc(limit - program.length)]);
  addCommand(signed, limit, size);
  const linkEdit = segmentNamed(signed, '__LINKEDIT').at;
  const total = limit + size - start;
  signed.writeBigUInt64LE(BigInt(total), linkEdit + SEGMENT.fileSize);
  const mapped = Math.ceil(total / SEGMENT_PAGE_BYTES) * SEGMENT_PAGE_BYTES;
  signed.writeBigUInt64LE(BigInt(mapped), linkEdit + SEGMENT.vmSize);

  const signature = Buffer.alloc(size);
  [SUPER_BLOB, size, 1, 0, SUPER_BLOB_BYTES].forEach((value, at) => {
    signature.writeUInt32BE(value, at * 4);
  });
  const directory = signature.subarray(SUPER_BLOB_BYTES);
  const hashes = DIRECTORY_BYTES + name.length;
  [
    ...[CODE_DIRECTORY, directoryBytes, VERSION_WITH_EXEC_SEGMENT, AD_HOC],
    ...[hashes, DIRECTORY_BYTES, 0, pages, limit],
  ].forEach((value, at) => {
    directory.writeUInt32BE(value, at * 4);
  });
  directory.set([HASH_BYTES, SHA256, 0, PAGE_BITS], 36);
  const text = segmentNamed(signed, '__TEXT').at;
  directory.writeBigUInt64BE(signed.readBigUInt64LE(text + SEGMENT.fileOffset), 64);
  directory.writeBigUInt64BE(signed.readBigUInt64LE(text + SEGMENT.fileSize), 72);
  directory.writeBigUInt64BE(MAIN_BINARY, 80);
  name.copy(directory, DIRECTORY_BYTES);
  for (let page = 0; page < pages; page++) {
    const bytes = signed.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
    createHash('sha256')
      .update(bytes)
      .digest()
      .copy(directory, hashes + page * HASH_BYTES);
  }
  return Buffer.concat([signed, signature]);
}

/** Adds the command that says where the signature is. Throws if there is no room for it before the first section. */
function addCommand(program: Buffer, offset: number, size: number): void {
  const commands = loadCommands(program);
  const last = commands.at(-1);
  if (last === undefined || commands.some(({ kind }) => kind === COMMAND.codeSignature)) {
    throw new Error('The program is signed already');
  }
  const at = last.at + last.bytes;
  if (at + COMMAND_BYTES > firstSection(program)) {
    throw new Error('There is no room for the command of the signature');
  }
  program.writeUInt32LE(COMMAND.codeSignature, at);
  program.writeUInt32LE(COMMAND_BYTES, at + 4);
  program.writeUInt32LE(offset, at + 8);
  program.writeUInt32LE(size, at + 12);
  program.writeUInt32LE(commands.length + 1, 16);
  program.writeUInt32LE(program.readUInt32LE(20) + COMMAND_BYTES, 20);
}

/** Returns where the first section starts in the file. */
function firstSection(program: Buffer): number {
  const starts = loadCommands(program)
    .filter(({ kind }) => kind === COMMAND.segment64)
    .flatMap(({ at, bytes }) => {
      const count = (bytes - SEGMENT_BYTES) / SECTION_BYTES;
      return Array.from({ length: count }, (_, index) =>
        program.readUInt32LE(at + SEGMENT_BYTES + index * SECTION_BYTES + SECTION_OFFSET),
      );
    })
    // A section that is all zeros has no bytes in the file.
    .filter((start) => start !== 0);
  return Math.min(...starts);
}
