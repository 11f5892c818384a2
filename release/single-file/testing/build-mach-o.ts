// Builds small programs for macOS with the parts that Node's program has. They do not run.
// Structures: <mach-o/loader.h> and <mach-o/nlist.h> of Apple's xnu.

export type Program = {
  /** The names of the symbols, by what they are. The table has them in this order. */
  readonly locals: readonly string[];
  readonly exported: readonly string[];
  readonly imported: readonly string[];
  /** The numbers in the table of indirect symbols. */
  readonly indirect: readonly number[];
  /** The bytes between the load commands and the first section. */
  readonly room: number;
  /** The bytes of the first section. */
  readonly code: Buffer;
  /** The signature. Null: the program is not signed. */
  readonly signature: Buffer | null;
  /** Load commands behind the others. */
  readonly more: readonly Buffer[];
  /** Fields of LC_DYSYMTAB that differ, by their offset in the command. */
  readonly dysymtab: Readonly<Record<number, number>>;
  /** Bytes behind the segment __LINKEDIT. */
  readonly behind: Buffer;
};

/** Indirect symbols that have no name. */
export const INDIRECT = { local: 0x80_00_00_00, absolute: 0x40_00_00_00 } as const;

export const DATA = {
  fixups: Buffer.from('fixups, as the loader applies them'),
  exportsTrie: Buffer.from('exports'),
  functionStarts: Buffer.from('the starts of functions'),
} as const;

const PAGE = 0x4000;
const BASE = 0x1_0000_0000;
const LOCAL = 0x0e;
const EXPORTED = 0x0f;
const IMPORTED = 0x01;

const DEFAULTS: Program = {
  locals: ['_local', '__ZL5cacheE', 'l_.str.1'],
  exported: ['__mh_execute_header', '_napi_create_array', '_uv_run'],
  imported: ['_malloc', '_pthread_create'],
  indirect: [6, INDIRECT.local, 7, 4, INDIRECT.local + INDIRECT.absolute, 6],
  room: 64,
  code: Buffer.from('the code of the program'),
  signature: Buffer.from('the signature of someone else'),
  more: [],
  dysymtab: {},
  behind: Buffer.alloc(0),
};

/** Returns the program. Without options it is as Node's: signed, with symbols of all kinds. */
export function buildMachO(options: Partial<Program> = {}): Buffer {
  const spec = { ...DEFAULTS, ...options };
  // The sizes of the commands do not depend on the offsets in them.
  const bytes = commands(spec, 0, 0).reduce((sum, { length }) => sum + length, 32);
  const codeAt = bytes + spec.room;
  const linkEditAt = Math.ceil((codeAt + spec.code.length) / 16) * 16;
  const all = commands(spec, codeAt, linkEditAt);
  const head = Buffer.concat([
    words(0xfe_ed_fa_cf, 0x1_00_00_0c, 0, 2, all.length, bytes - 32, 0x85, 0),
    ...all,
    Buffer.alloc(spec.room),
    spec.code,
  ]);
  return Buffer.concat([
    ...[head, Buffer.alloc(linkEditAt - head.length), ...linkEdit(spec, linkEditAt).parts],
    ...[spec.signature ?? Buffer.alloc(0), spec.behind],
  ]);
}

/** A load command with two fields. */
export function command(kind: number, offset: number, size: number): Buffer {
  return words(kind, 16, offset, size);
}

/** The parts of the segment, except the signature, and where each starts. */
function linkEdit(program: Program, start: number) {
  const { locals, exported, imported, indirect, signature } = program;
  const names = [...locals, ...exported, ...imported];
  const strings: Buffer[] = [Buffer.from(' \0')];
  let length = 2;
  const symbols = names.map((name, index) => {
    const isLocal = index < locals.length;
    const isImported = index >= locals.length + exported.length;
    const [type, section] = isLocal ? [LOCAL, 1] : isImported ? [IMPORTED, 0] : [EXPORTED, 1];
    const symbol = Buffer.alloc(16);
    symbol.writeUInt32LE(length, 0);
    symbol.set([type, section], 4);
    symbol.writeUInt16LE(isImported ? 0x0100 : 0x0010, 6);
    symbol.writeBigUInt64LE(isImported ? 0n : BigInt(BASE + 16 * index), 8);
    strings.push(Buffer.from(`${name}\0`));
    length += Buffer.byteLength(name) + 1;
    return symbol;
  });
  const contents = {
    ...DATA,
    symbols: Buffer.concat(symbols),
    indirect: words(...indirect),
    strings: Buffer.concat(strings),
  };
  const parts: Buffer[] = [];
  const at: Record<string, number> = {};
  let offset = start;
  for (const [name, bytes] of Object.entries(contents)) {
    // An unsigned program ends with the last string.
    const isLast = name === 'strings' && signature === null;
    const padding = isLast ? 0 : (16 - (bytes.length % 16)) % 16;
    at[name] = offset;
    parts.push(bytes, Buffer.alloc(padding));
    offset += bytes.length + padding;
  }
  return { parts, at: at as Record<keyof typeof contents, number>, end: offset, contents };
}

function commands(spec: Program, codeAt: number, linkEditAt: number): Buffer[] {
  const { locals, exported, imported, signature, indirect } = spec;
  const { at, end, contents } = linkEdit(spec, linkEditAt);
  const size = end + (signature?.length ?? 0) - linkEditAt;
  const memory = Math.ceil(size / PAGE) * PAGE;
  const counts = [locals.length, exported.length, imported.length] as const;
  const dysymtab = Buffer.alloc(80);
  const fields = [0x0b, 80, 0, counts[0], counts[0], counts[1], counts[0] + counts[1], counts[2]];
  words(...fields).copy(dysymtab);
  words(at.indirect, indirect.length).copy(dysymtab, 56);
  for (const [field, value] of Object.entries(spec.dysymtab)) {
    dysymtab.writeUInt32LE(value, Number(field));
  }
  return [
    segment('__PAGEZERO', { address: 0, memory: BASE }),
    segment('__TEXT', { address: BASE, memory: PAGE, offset: 0, size: linkEditAt }, [
      section('__text', '__TEXT', codeAt, spec.code.length),
      // A section that is all zeros has no bytes in the file.
      section('__bss', '__TEXT', 0, 64),
    ]),
    segment('__LINKEDIT', { address: BASE + PAGE, memory, offset: linkEditAt, size }),
    command(0x80_00_00_34, at.fixups, contents.fixups.length),
    command(0x80_00_00_33, at.exportsTrie, contents.exportsTrie.length),
    words(
      0x02,
      24,
      at.symbols,
      counts[0] + counts[1] + counts[2],
      at.strings,
      contents.strings.length,
    ),
    dysymtab,
    words(0x1b, 24, 1, 2, 3, 4),
    words(0x80_00_00_28, 24, codeAt, 0, 0, 0),
    command(0x26, at.functionStarts, contents.functionStarts.length),
    command(0x29, at.symbols, 0),
    ...(signature === null ? [] : [command(0x1d, end, signature.length)]),
    ...spec.more,
  ];
}

type Place = {
  readonly address: number;
  readonly memory: number;
  readonly offset?: number;
  readonly size?: number;
};

function segment(name: string, place: Place, sections: readonly Buffer[] = []): Buffer {
  const { address, memory, offset = 0, size = 0 } = place;
  return Buffer.concat([
    ...[words(0x19, 72 + 80 * sections.length), padded(name), longs(address, memory, offset, size)],
    ...[words(5, 5, sections.length, 0), ...sections],
  ]);
}

function section(name: string, parent: string, offset: number, size: number): Buffer {
  return Buffer.concat([
    ...[padded(name), padded(parent), longs(BASE + offset, size)],
    words(offset, 4, 0, 0, 0, 0, 0, 0),
  ]);
}

function padded(name: string): Buffer {
  return Buffer.from(name.padEnd(16, '\0'));
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeUInt32LE(value, index * 4);
  });
  return bytes;
}

function longs(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  values.forEach((value, index) => {
    bytes.writeBigUInt64LE(BigInt(value), index * 8);
  });
  return bytes;
}
