// Reads what a WebAssembly module says about its functions: where each body begins, and the names of the section `name`.
// https://webassembly.github.io/spec/core/binary/modules.html
import { NAME_LENGTH, WASM_FUNCTIONS } from '../limits.ts';
import { SymbolFault } from '../symbol-fault.ts';

/** The functions of a module. Imported functions have the lowest indices, and no body. */
export type WasmFunctions = {
  /** The names by function index; empty for a stripped module. */
  readonly names: ReadonlyMap<number, string>;
  readonly imported: number;
  /** The offset of each body in the module, in the order of the functions. */
  readonly bodies: readonly number[];
};

const CUSTOM = 0;
const IMPORT = 2;
const CODE = 10;
/** The subsection of `name` with the names of functions. */
const FUNCTION_NAMES = 1;

/** Throws a {@link SymbolFault} if the bytes are not a module or a section is damaged. */
export function readWasmFunctions(bytes: Uint8Array): WasmFunctions {
  const reader = new Reader(bytes, 0, bytes.length);
  if (reader.u32() !== 0x6d736100 || reader.u32() !== 1) {
    throw new SymbolFault('it is not a WebAssembly module of version 1');
  }
  let imported = 0;
  let bodies: readonly number[] = [];
  let names: ReadonlyMap<number, string> = new Map();
  while (!reader.isAtEnd) {
    const id = reader.byte();
    const section = reader.part(reader.leb());
    if (id === IMPORT) imported = countImports(section);
    if (id === CODE) bodies = readBodies(section);
    if (id === CUSTOM && section.name() === 'name') names = readNames(section);
  }
  return { names, imported, bodies };
}

function readBodies(section: Reader): number[] {
  const count = section.count();
  const offsets: number[] = [];
  for (let i = 0; i < count; i++) {
    const size = section.leb();
    offsets.push(section.at);
    section.skip(size);
  }
  return offsets;
}

/** Counts the imported functions. */
function countImports(section: Reader): number {
  const count = section.count();
  let functions = 0;
  for (let i = 0; i < count; i++) {
    section.skip(section.leb());
    section.skip(section.leb());
    const kind = section.byte();
    if (kind === 0) functions++;
    skipImport(section, kind);
  }
  return functions;
}

/** Skips the type of an import: a function, table, memory, global or tag. */
function skipImport(section: Reader, kind: number): void {
  if (kind === 0) section.leb();
  else if (kind === 1) {
    skipType(section);
    skipLimits(section);
  } else if (kind === 2) skipLimits(section);
  else if (kind === 3) {
    skipType(section);
    section.byte();
  } else if (kind === 4) {
    section.byte();
    section.leb();
  } else throw new SymbolFault(`it has an import of the unknown kind ${kind}`);
}

/** Typed references have a heap type after their first byte. */
function skipType(section: Reader): void {
  const type = section.byte();
  if (type === 0x63 || type === 0x64) section.leb();
}

function skipLimits(section: Reader): void {
  const flags = section.byte();
  section.leb();
  if ((flags & 1) !== 0) section.leb();
}

function readNames(section: Reader): Map<number, string> {
  const names = new Map<number, string>();
  while (!section.isAtEnd) {
    const id = section.byte();
    const part = section.part(section.leb());
    if (id !== FUNCTION_NAMES) continue;
    const count = part.count();
    for (let i = 0; i < count; i++) {
      const index = part.leb();
      const name = part.name();
      if (name !== '') names.set(index, name.slice(0, NAME_LENGTH));
    }
  }
  return names;
}

/** Reads a part of a module. Throws a {@link SymbolFault} at its end. Counts are bounded by the bytes that are left. */
class Reader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  at: number;

  constructor(bytes: Uint8Array, from: number, end: number) {
    this.#bytes = bytes;
    this.at = from;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#end;
  }

  byte(): number {
    const byte = this.at < this.#end ? this.#bytes[this.at++] : undefined;
    if (byte === undefined) throw new SymbolFault('it ends in the middle of a section');
    return byte;
  }

  u32(): number {
    return this.byte() + this.byte() * 0x100 + this.byte() * 0x10000 + this.byte() * 0x1000000;
  }

  /** An unsigned number in LEB128. One of 64 bits is read up to 2^53. */
  leb(): number {
    let value = 0;
    for (let i = 0; i < 10; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw new SymbolFault('it has a number that is too long');
  }

  /** The number of elements that follow, each of at least one byte. */
  count(): number {
    const count = this.leb();
    if (count > this.#end - this.at || count > WASM_FUNCTIONS) {
      throw new SymbolFault('it has more functions or imports than its size allows');
    }
    return count;
  }

  skip(length: number): void {
    if (length > this.#end - this.at) throw new SymbolFault('it ends in the middle of a section');
    this.at += length;
  }

  part(length: number): Reader {
    const from = this.at;
    this.skip(length);
    return new Reader(this.#bytes, from, this.at);
  }

  name(): string {
    const length = this.leb();
    const from = this.at;
    this.skip(length);
    return new TextDecoder().decode(this.#bytes.subarray(from, this.at));
  }
}
