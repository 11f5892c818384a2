// Removes symbols and debug information from a program for Linux. It needs only what its program headers load.
// Structures: https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html

const HEADER = { phoff: 32, shoff: 40, phnum: 56, shnum: 60, shstrndx: 62 } as const;
const HEADER_BYTES = 64;
const SEGMENT = { kind: 0, offset: 8, fileSize: 32, memorySize: 40, bytes: 56 } as const;
const LOADED = 1;
const ALIGNMENT = 8;

/** Returns the program without everything behind the last byte that is loaded. Throws if it is no 64-bit little-endian ELF file. */
export function stripElf(program: Buffer): Buffer {
  const isElf = program.length >= HEADER_BYTES && program.readUInt32BE(0) === 0x7f_45_4c_46;
  if (!isElf || program[4] !== 2 || program[5] !== 1) {
    throw new Error('Not a 64-bit ELF program');
  }
  const end = Math.max(0, ...segmentsOf(program).map((one) => one.offset + one.fileSize));
  const stripped = withoutSections(program.subarray(0, end));
  alignEnds(stripped);
  return stripped;
}

/** Returns the program without its table of sections, which only linkers and debuggers read. */
export function withoutSections(program: Buffer): Buffer {
  const changed = Buffer.from(program);
  changed.writeBigUInt64LE(0n, HEADER.shoff);
  changed.writeUInt16LE(0, HEADER.shnum);
  changed.writeUInt16LE(0, HEADER.shstrndx);
  return changed;
}

type Segment = {
  /** Where its program header is. */
  readonly at: number;
  readonly kind: number;
  readonly offset: number;
  readonly fileSize: number;
  readonly memorySize: number;
};

function segmentsOf(program: Buffer): Segment[] {
  const table = Number(program.readBigUInt64LE(HEADER.phoff));
  return Array.from({ length: program.readUInt16LE(HEADER.phnum) }, (_, index) => {
    const at = table + index * SEGMENT.bytes;
    const field = (offset: number): number => Number(program.readBigUInt64LE(at + offset));
    return {
      at,
      kind: program.readUInt32LE(at + SEGMENT.kind),
      offset: field(SEGMENT.offset),
      fileSize: field(SEGMENT.fileSize),
      memorySize: field(SEGMENT.memorySize),
    };
  });
}

/**
 * Lets loaded segments end at a multiple of 8 bytes, where the bytes after them belong to no other. When data is added, the program
 * headers move to the end of a segment, and must be aligned there.
 */
function alignEnds(program: Buffer): void {
  const loaded = segmentsOf(program).filter(({ kind }) => kind === LOADED);
  for (const { at, offset, fileSize, memorySize } of loaded) {
    const size = Math.ceil((offset + fileSize) / ALIGNMENT) * ALIGNMENT - offset;
    const isFree = loaded.every((other) => other.offset <= offset || other.offset >= offset + size);
    if (fileSize !== memorySize || !isFree || offset + size > program.length) continue;
    program.writeBigUInt64LE(BigInt(size), at + SEGMENT.fileSize);
    program.writeBigUInt64LE(BigInt(size), at + SEGMENT.memorySize);
  }
}
