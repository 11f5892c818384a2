// The load commands of a program for macOS that are needed to strip and sign it.
// Structures: <mach-o/loader.h> and <mach-o/nlist.h> of Apple's xnu.

const MAGIC_64 = 0xfe_ed_fa_cf;
const HEADER_BYTES = 32;

export const COMMAND = {
  symtab: 0x02,
  dysymtab: 0x0b,
  loadLibrary: 0x0c,
  loadLinker: 0x0e,
  segment64: 0x19,
  uuid: 0x1b,
  codeSignature: 0x1d,
  functionStarts: 0x26,
  dataInCode: 0x29,
  sourceVersion: 0x2a,
  buildVersion: 0x32,
  main: 0x80_00_00_28,
  exportsTrie: 0x80_00_00_33,
  chainedFixups: 0x80_00_00_34,
} as const;

/** Commands that name nothing in the segment __LINKEDIT. */
const INDEPENDENT: readonly number[] = [
  ...[COMMAND.segment64, COMMAND.loadLibrary, COMMAND.loadLinker, COMMAND.uuid],
  ...[COMMAND.main, COMMAND.sourceVersion, COMMAND.buildVersion],
];

/** Commands whose two fields are the offset and the size of data in the segment __LINKEDIT. */
const LINK_EDIT_DATA: readonly number[] = [
  COMMAND.codeSignature,
  COMMAND.functionStarts,
  COMMAND.dataInCode,
  COMMAND.chainedFixups,
  COMMAND.exportsTrie,
];

export type LoadCommand = { readonly kind: number; readonly at: number; readonly bytes: number };

/** Returns the load commands. Throws if the file is no 64-bit little-endian Mach-O program. */
export function loadCommands(program: Buffer): LoadCommand[] {
  if (program.length < HEADER_BYTES || program.readUInt32LE(0) !== MAGIC_64) {
    throw new Error('Not a 64-bit Mach-O program');
  }
  const commands: LoadCommand[] = [];
  let at = HEADER_BYTES;
  for (let index = 0; index < program.readUInt32LE(16); index++) {
    const command = { kind: program.readUInt32LE(at), at, bytes: program.readUInt32LE(at + 4) };
    commands.push(command);
    at += command.bytes;
  }
  return commands;
}

export function isLinkEditData({ kind }: LoadCommand): boolean {
  return LINK_EDIT_DATA.includes(kind);
}

/** Whether the command names nothing in the segment __LINKEDIT. False for unknown commands. */
export function isIndependent({ kind }: LoadCommand): boolean {
  return INDEPENDENT.includes(kind);
}

/** Returns the only command of a kind. Throws if there is none, or more than one. */
export function commandOf(program: Buffer, kind: number): LoadCommand {
  const found = loadCommands(program).filter((one) => one.kind === kind);
  const [command] = found;
  if (command === undefined || found.length > 1) {
    throw new Error(`${found.length} load commands are of the kind 0x${kind.toString(16)}, not 1`);
  }
  return command;
}

/** Returns the command of a segment by its name. Throws if there is none. */
export function segmentNamed(program: Buffer, name: string): LoadCommand {
  const found = loadCommands(program).find(
    ({ kind, at }) =>
      kind === COMMAND.segment64 &&
      program.toString('latin1', at + 8, at + 24).replace(/\0+$/, '') === name,
  );
  if (found === undefined) throw new Error(`No segment ${name}`);
  return found;
}

/** Where the fields of a segment command are. */
export const SEGMENT = { vmAddress: 24, vmSize: 32, fileOffset: 40, fileSize: 48 } as const;

/** Returns where the segment __LINKEDIT starts in the file. Throws if it is not at the end. */
export function offsetOfLinkEdit(program: Buffer): number {
  const { at } = segmentNamed(program, '__LINKEDIT');
  const offset = Number(program.readBigUInt64LE(at + SEGMENT.fileOffset));
  const size = Number(program.readBigUInt64LE(at + SEGMENT.fileSize));
  if (offset + size !== program.length) throw new Error('__LINKEDIT is not at the end');
  return offset;
}

/** Removes a command. The others move up, and the last bytes become zero. */
export function removeCommand(program: Buffer, { at, bytes }: LoadCommand): void {
  const count = program.readUInt32LE(16);
  const total = program.readUInt32LE(20);
  const end = HEADER_BYTES + total;
  program.copy(program, at, at + bytes, end);
  program.fill(0, end - bytes, end);
  program.writeUInt32LE(count - 1, 16);
  program.writeUInt32LE(total - bytes, 20);
}
