// Reads programs of all systems as Node does when it looks for the data of a single executable, and reads the data.
// Formats: https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html, https://learn.microsoft.com/windows/win32/debug/pe-format,
// and `SeaSerializer` in Node's src/node_sea.cc.
import { readMachO } from '../../release/single-file/testing/read-mach-o.ts';

const NAME = 'NODE_SEA_BLOB';
const NOTE = 4;
const RESOURCES = 2;
const RAW_DATA = 10;
/** The numbers of processors: in ELF, PE and Mach-O files. */
const PROCESSORS: Readonly<Record<number, string>> = {
  62: 'x64',
  183: 'arm64',
  34404: 'x64',
  16777223: 'x64',
  16777228: 'arm64',
};

export type Executable = {
  /** The kind of file and the processor, such as `ELF arm64`. */
  readonly system: string;
  /** The contents of each resource with the name that Node knows. */
  readonly found: readonly Buffer[];
};

/** Throws if it is no program of 64 bits. */
export function readExecutable(program: Buffer): Executable {
  const start = program.toString('latin1', 0, 5);
  if (start === '\x7fELF\x02') return readElf(program);
  if (start.startsWith('MZ')) return readPe(program);
  const { processor, segments } = readMachO(program);
  const found = segments
    .filter(({ name }) => name === 'NODE_SEA')
    .flatMap(({ sections }) => sections.filter(({ name }) => name === `__${NAME}`));
  return { system: `Mach-O ${PROCESSORS[processor]}`, found: found.map(({ bytes }) => bytes) };
}

function readElf(program: Buffer): Executable {
  const table = Number(program.readBigUInt64LE(32));
  const found: Buffer[] = [];
  for (let index = 0; index < program.readUInt16LE(56); index++) {
    const header = table + 56 * index;
    if (program.readUInt32LE(header) !== NOTE) continue;
    const from = Number(program.readBigUInt64LE(header + 8));
    found.push(
      ...notes(program.subarray(from, from + Number(program.readBigUInt64LE(header + 32)))),
    );
  }
  return { system: `ELF ${PROCESSORS[program.readUInt16LE(18)]}`, found };
}

/** The contents of the notes with the name. */
function* notes(all: Buffer): Generator<Buffer> {
  const aligned = (bytes: number): number => Math.ceil(bytes / 4) * 4;
  for (let at = 0; at < all.length; ) {
    const [nameBytes, bytes] = [all.readUInt32LE(at), all.readUInt32LE(at + 4)];
    const name = all.toString('latin1', at + 12, at + 12 + nameBytes);
    const from = at + 12 + aligned(nameBytes);
    if (name === `${NAME}\0`) yield all.subarray(from, from + bytes);
    at = from + aligned(bytes);
  }
}

function readPe(program: Buffer): Executable {
  const pe = program.readUInt32LE(0x3c);
  const optional = pe + 24;
  const sections = optional + program.readUInt16LE(pe + 20);
  const count = program.readUInt16LE(pe + 6);
  /** Where a loaded address is in the file. */
  const fileOffset = (address: number): number => {
    for (let index = 0; index < count; index++) {
      const [, from = 0, bytes = 0, offset = 0] = longs(program, sections + 40 * index + 8, 4);
      if (address >= from && address < from + bytes) return address - from + offset;
    }
    throw new Error(`nothing is loaded at ${address}`);
  };
  const [address = 0, bytes = 0] = longs(program, optional + 112 + 8 * RESOURCES, 2);
  const start = fileOffset(address);
  const tree = program.subarray(start, start + bytes);
  const found = children(tree, 0)
    .filter(({ id }) => id === RAW_DATA)
    .flatMap(({ at }) => children(tree, at))
    .filter(({ id }) => id === NAME)
    .flatMap(({ at }) => children(tree, at))
    .map(({ at }) => {
      const [data = 0, length = 0] = longs(tree, at, 2);
      const from = fileOffset(data);
      return program.subarray(from, from + length);
    });
  return { system: `PE ${PROCESSORS[program.readUInt16LE(pe + 4)]}`, found };
}

/** The entries of a folder of resources: each with its name or number, and the place of its folder or data. */
function children(tree: Buffer, folder: number) {
  const count = tree.readUInt16LE(folder + 12) + tree.readUInt16LE(folder + 14);
  return Array.from({ length: count }, (_, index) => {
    const [id = 0, place = 0] = longs(tree, folder + 16 + 8 * index, 2);
    return { id: id >= 2 ** 31 ? textAt(tree, id % 2 ** 31) : id, at: place % 2 ** 31 };
  });
}

function textAt(tree: Buffer, at: number): string {
  return tree.toString('utf16le', at + 2, at + 2 + 2 * tree.readUInt16LE(at));
}

function longs(bytes: Buffer, at: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => bytes.readUInt32LE(at + 4 * index));
}

export type SeaData = {
  readonly flags: number;
  readonly arguments: number;
  readonly mainName: string;
  readonly main: string;
  readonly files: ReadonlyMap<string, Buffer>;
};

/** Reads the data for a version of Node. Throws if there is more or less than it states. */
export function readSeaData(data: Buffer, nodeVersion: string): SeaData {
  let at = 0;
  const take = (bytes: number): Buffer => {
    if (at + bytes > data.length) throw new Error('the data is not complete');
    at += bytes;
    return data.subarray(at - bytes, at);
  };
  const count = (): number => Number(take(8).readBigUInt64LE(0));
  const text = (): string => take(count()).toString();
  if (take(4).readUInt32LE(0) !== 0x143da20) throw new Error('no data of a single executable');
  const head = { flags: take(4).readUInt32LE(0), arguments: take(1).readUInt8(0) };
  const isNew = Number.parseInt(nodeVersion, 10) >= 26;
  if (isNew && take(1).readUInt8(0) !== 0) throw new Error('the script is not CommonJS');
  const script = { mainName: text(), main: text() };
  const files = new Map<string, Buffer>();
  for (let left = count(); left > 0; left--) files.set(text(), take(count()));
  if (at !== data.length) throw new Error(`${data.length - at} bytes are behind the data`);
  return { ...head, ...script, files };
}
