// Removes the local symbols and the signature of a program for macOS. Symbols that other files use stay.
import {
  COMMAND,
  commandOf,
  isIndependent,
  isLinkEditData,
  loadCommands,
  offsetOfLinkEdit,
  removeCommand,
  SEGMENT,
  segmentNamed,
} from './mach-o.ts';

const SYMBOL_BYTES = 16;
/** Entries of the indirect symbol table that name no symbol (INDIRECT_SYMBOL_LOCAL, INDIRECT_SYMBOL_ABS). */
const NO_SYMBOL = 0xc0_00_00_00;
const PAGE_BYTES = 16_384;
const MOVED: readonly number[] = [COMMAND.symtab, COMMAND.dysymtab];
/** The lengths of the tables of LC_DYSYMTAB that only libraries and object files have. */
const OTHER_TABLES = [36, 44, 52, 68, 76] as const;

/** Returns the stripped program. Throws if its structure is not as expected. */
export function stripMachO(program: Buffer): Buffer {
  checkStructure(program);
  const head = Buffer.from(program.subarray(0, offsetOfLinkEdit(program)));
  const parts: Buffer[] = [];
  let offset = head.length;
  const put = (bytes: Buffer): number => {
    const at = offset;
    const padding = (8 - (bytes.length % 8)) % 8;
    parts.push(bytes, Buffer.alloc(padding));
    offset += bytes.length + padding;
    return at;
  };
  const signature = commandOf(head, COMMAND.codeSignature);
  for (const command of loadCommands(head)) {
    if (!isLinkEditData(command) || command.at === signature.at) continue;
    const [at, size] = [head.readUInt32LE(command.at + 8), head.readUInt32LE(command.at + 12)];
    head.writeUInt32LE(put(program.subarray(at, at + size)), command.at + 8);
  }
  const { symbols, strings, indirect } = keptSymbols(program);
  const symtab = commandOf(head, COMMAND.symtab).at;
  const dysymtab = commandOf(head, COMMAND.dysymtab).at;
  head.writeUInt32LE(put(symbols), symtab + 8);
  head.writeUInt32LE(symbols.length / SYMBOL_BYTES, symtab + 12);
  head.writeUInt32LE(put(indirect), dysymtab + 56);
  head.writeUInt32LE(put(strings), symtab + 16);
  head.writeUInt32LE(strings.length, symtab + 20);
  const locals = head.readUInt32LE(dysymtab + 12);
  head.writeUInt32LE(0, dysymtab + 8);
  head.writeUInt32LE(0, dysymtab + 12);
  for (const first of [16, 24]) {
    head.writeUInt32LE(head.readUInt32LE(dysymtab + first) - locals, dysymtab + first);
  }
  const segment = segmentNamed(head, '__LINKEDIT').at;
  const size = offset - head.length;
  head.writeBigUInt64LE(BigInt(size), segment + SEGMENT.fileSize);
  head.writeBigUInt64LE(
    BigInt(Math.ceil(size / PAGE_BYTES) * PAGE_BYTES),
    segment + SEGMENT.vmSize,
  );
  removeCommand(head, signature);
  return Buffer.concat([head, ...parts]);
}

/** Throws if something names data in __LINKEDIT that would not be moved. */
function checkStructure(program: Buffer): void {
  const { at } = commandOf(program, COMMAND.dysymtab);
  for (const command of loadCommands(program)) {
    const isMoved = isLinkEditData(command) || MOVED.includes(command.kind);
    if (!isMoved && !isIndependent(command)) {
      throw new Error(`The load command 0x${command.kind.toString(16)} is unknown`);
    }
  }
  if (OTHER_TABLES.some((count) => program.readUInt32LE(at + count) !== 0)) {
    throw new Error('The program has tables of symbols that executables have not');
  }
}

/** The symbols that are not local, their names, and the table that names symbols by their number. */
function keptSymbols(program: Buffer): {
  readonly symbols: Buffer;
  readonly strings: Buffer;
  readonly indirect: Buffer;
} {
  const symtab = commandOf(program, COMMAND.symtab).at;
  const dysymtab = commandOf(program, COMMAND.dysymtab).at;
  const [table, count, names] = [8, 12, 16].map((at) => program.readUInt32LE(symtab + at)) as [
    number,
    number,
    number,
  ];
  const [first, locals] = [8, 12].map((at) => program.readUInt32LE(dysymtab + at)) as [
    number,
    number,
  ];
  if (first !== 0) throw new Error('The local symbols are not the first ones');
  const symbols = Buffer.from(
    program.subarray(table + locals * SYMBOL_BYTES, table + count * SYMBOL_BYTES),
  );
  const strings: Buffer[] = [Buffer.from(' \0')];
  let length = 2;
  for (let at = 0; at < symbols.length; at += SYMBOL_BYTES) {
    const start = names + symbols.readUInt32LE(at);
    const name = program.subarray(start, program.indexOf(0, start) + 1);
    symbols.writeUInt32LE(length, at);
    strings.push(name);
    length += name.length;
  }
  const [indirectAt, indirectCount] = [56, 60].map((at) => program.readUInt32LE(dysymtab + at)) as [
    number,
    number,
  ];
  const indirect = Buffer.from(program.subarray(indirectAt, indirectAt + indirectCount * 4));
  for (let at = 0; at < indirect.length; at += 4) {
    const index = indirect.readUInt32LE(at);
    if ((index & NO_SYMBOL) !== 0) continue;
    if (index < locals) throw new Error('The indirect symbol table names a local symbol');
    indirect.writeUInt32LE(index - locals, at);
  }
  return { symbols, strings: Buffer.concat(strings), indirect };
}
