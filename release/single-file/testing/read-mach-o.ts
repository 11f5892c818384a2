// Reads programs for macOS, for tests. It shares no code with what the tests check.
// Structures: <mach-o/loader.h> and <mach-o/nlist.h> of Apple's xnu.

export type MachO = {
  readonly processor: number;
  readonly commands: readonly Command[];
  readonly segments: readonly Segment[];
  readonly symbols: readonly MachOSymbol[];
  /** The symbols by the ranges that LC_DYSYMTAB states. */
  readonly groups: Readonly<Record<'locals' | 'exported' | 'imported', readonly MachOSymbol[]>>;
  /** The names in the table of indirect symbols. Entries that have no name are numbers. */
  readonly indirect: readonly (string | number)[];
  /** All names that are in the table of strings. */
  readonly strings: readonly string[];
  /** The parts of __LINKEDIT, in the order of the file. Empty parts are left out. */
  readonly parts: readonly Part[];
};

type Command = { readonly kind: number; readonly bytes: Buffer };
type Segment = {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  readonly memory: number;
  readonly sections: readonly Section[];
};
type Section = { readonly name: string; readonly offset: number; readonly bytes: Buffer };
type MachOSymbol = {
  readonly name: string;
  readonly type: number;
  readonly section: number;
  readonly description: number;
  readonly value: bigint;
};
type Part = { readonly name: string; readonly offset: number; readonly bytes: Buffer };

const PARTS: Readonly<Record<number, string>> = {
  [0x1d]: 'signature',
  [0x26]: 'functionStarts',
  [0x29]: 'dataInCode',
  [0x80_00_00_33]: 'exportsTrie',
  [0x80_00_00_34]: 'fixups',
};

/** Reads the program. Throws if it is not one. */
export function readMachO(program: Buffer): MachO {
  if (program.toString('hex', 0, 4) !== 'cffaedfe') throw new Error('no program for macOS');
  const commands: Command[] = [];
  let at = 32;
  for (let left = program.readUInt32LE(16); left > 0; left--) {
    const bytes = program.subarray(at, at + program.readUInt32LE(at + 4));
    commands.push({ kind: bytes.readUInt32LE(0), bytes });
    at += bytes.length;
  }
  if (at !== 32 + program.readUInt32LE(20)) throw new Error('wrong size of the load commands');
  const fields = (kind: number): number[] => {
    const { bytes } = commands.find((one) => one.kind === kind) ?? fail(`no command ${kind}`);
    return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(index * 4));
  };
  const [, , symbolsAt = 0, count = 0, stringsAt = 0, stringBytes = 0] = fields(0x02);
  const dynamic = fields(0x0b);
  const [indirectAt = 0, indirectCount = 0] = dynamic.slice(14);
  const strings = program.subarray(stringsAt, stringsAt + stringBytes);
  const symbols = Array.from({ length: count }, (_, index) => {
    const symbol = program.subarray(symbolsAt + 16 * index, symbolsAt + 16 * (index + 1));
    return {
      name: nameAt(strings, symbol.readUInt32LE(0)),
      type: symbol.readUInt8(4),
      section: symbol.readUInt8(5),
      description: symbol.readUInt16LE(6),
      value: symbol.readBigUInt64LE(8),
    };
  });
  const group = (field: number): MachOSymbol[] => {
    const [first = 0, length = 0] = dynamic.slice(field);
    return symbols.slice(first, first + length);
  };
  const part = (name: string, offset: number, size: number): Part => {
    if (offset + size > program.length) throw new Error(`${name} is not in the file`);
    return { name, offset, bytes: program.subarray(offset, offset + size) };
  };
  return {
    processor: program.readUInt32LE(4),
    commands,
    segments: commands.filter(({ kind }) => kind === 0x19).map((one) => readSegment(program, one)),
    symbols,
    groups: { locals: group(2), exported: group(4), imported: group(6) },
    indirect: Array.from({ length: indirectCount }, (_, index) => {
      const number = program.readUInt32LE(indirectAt + 4 * index);
      return number >= 0x40_00_00_00 ? number : (symbols[number]?.name ?? fail(`symbol ${number}`));
    }),
    strings: strings.toString().replace(/\0+$/, '').split('\0'),
    parts: [
      part('symbols', symbolsAt, count * 16),
      part('strings', stringsAt, stringBytes),
      part('indirect', indirectAt, indirectCount * 4),
      ...commands.flatMap(({ kind, bytes }) => {
        const name = PARTS[kind];
        if (name === undefined) return [];
        return [part(name, bytes.readUInt32LE(8), bytes.readUInt32LE(12))];
      }),
    ]
      .filter(({ bytes }) => bytes.length > 0)
      .sort((a, b) => a.offset - b.offset),
  };
}

function readSegment(program: Buffer, { bytes }: Command): Segment {
  const long = (at: number): number => Number(bytes.readBigUInt64LE(at));
  return {
    name: textAt(bytes, 8),
    memory: long(32),
    offset: long(40),
    size: long(48),
    sections: Array.from({ length: bytes.readUInt32LE(64) }, (_, index) => {
      const at = 72 + 80 * index;
      const offset = bytes.readUInt32LE(at + 48);
      const size = offset === 0 ? 0 : long(at + 40);
      return { name: textAt(bytes, at), offset, bytes: program.subarray(offset, offset + size) };
    }),
  };
}

/** The text in a field of 16 bytes. */
function textAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + 16).replace(/\0+$/, '');
}

function nameAt(strings: Buffer, at: number): string {
  const end = strings.indexOf(0, at);
  if (at >= strings.length || end === -1) throw new Error('a name is not in the table of strings');
  return strings.toString('utf8', at, end);
}

function fail(message: string): never {
  throw new Error(message);
}
