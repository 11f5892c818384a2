// Random archives: valid ones built field by field, and mutations of them. The same seed gives the same archives.
import {
  type Archive,
  type Build,
  BuildError,
  bufferSource,
  extractEntries,
  type Refusal,
  readArchive,
} from '../src/index.ts';
import {
  buildZip,
  type EntrySpec,
  extraField,
  u16,
  u32,
  u64,
  unicodePath,
  type ZipSpec,
} from './zip-builder.ts';

/** Returns numbers from 0 to 1, without 1. */
export type Random = () => number;

/** Mulberry32: small, and random enough for tests. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function below(random: Random, bound: number): number {
  return Math.floor(random() * bound);
}

function pick<T>(random: Random, values: readonly [T, ...T[]]): T {
  return values[below(random, values.length)] ?? values[0];
}

/** The build of an archive, or null if it is rejected. Throws any other error. */
export async function examine(zip: Buffer): Promise<Build | null> {
  const verdict = await judge(zip);
  return typeof verdict === 'string' ? null : verdict;
}

async function judge(zip: Buffer): Promise<Build | Refusal['code']> {
  try {
    await using archive = await readArchive(bufferSource(zip), LIMITS);
    return await extractEntries(archive, null);
  } catch (error) {
    if (error instanceof BuildError) return error.code;
    throw error;
  }
}

/** The number of accepted archives with each feature. */
export type Oddities = Map<string, number>;

/** Counts the features of another accepted archive. */
export async function countOddities(zip: Buffer, counts: Oddities): Promise<void> {
  await using archive = await readArchive(bufferSource(zip), LIMITS);
  const has = (holds: (entry: Archive['entries'][number]) => boolean) =>
    archive.entries.some(holds);
  const all = {
    deflated: has(({ method }) => method === 'deflated'),
    stored: has(({ method, bytes }) => method === 'stored' && bytes > 0),
    'length behind the data': has((entry) => entry.open_ended),
    'signed descriptor': zip.includes('PK\x07\x08', 0, 'latin1'),
    'Zip64 end records': zip.includes('PK\x06\x06', 0, 'latin1'),
    'Zip64 sizes': zip.includes(Buffer.alloc(8, 0xff)),
    'Unicode path': zip.includes('up', 0, 'latin1'),
    folder: has(({ kind }) => kind === 'folder'),
    'empty file': has(({ kind, bytes }) => kind === 'file' && bytes === 0),
    dropped: has(({ dropped }) => dropped),
    'top folder': archive.root !== '',
    'other order': archive.entries[0]?.name !== `${archive.root && `${archive.root}/`}index.html`,
  };
  for (const [what, holds] of Object.entries(all)) {
    counts.set(what, (counts.get(what) ?? 0) + Number(holds));
  }
}

/** Codes of rejected mutations, and their minimum number in 3,000 mutations. */
const REFUSALS = {
  zip_malformed: 300,
  zip_ambiguous: 300,
  zip_overlap: 20,
  zip_encrypted: 20,
  zip_crc_mismatch: 12,
  zip_entry_type: 12,
  zip_size_mismatch: 1,
  zip_method_unsupported: 1,
} as const;

/** The codes of too few mutations, with their counts. */
export function rareRefusals({ inputs, refused }: FuzzResult): [code: string, count: number][] {
  return Object.entries(REFUSALS).flatMap(([code, least]) => {
    const count = refused.get(code) ?? 0;
    return count < Math.floor((least * inputs) / 3000) ? [[code, count]] : [];
  });
}

/** Small, so that an accepted input takes little time. */
const LIMITS = { expanded_bytes: 1 << 22, file_bytes: 1 << 21, files: 100 };

const NAMES = [
  'a.txt',
  'b/c.js',
  'b/d/e.json',
  'F G.png',
  'h.data.br',
  'i.wasm.gz',
  'empty',
  '.DS_Store',
  '__MACOSX/._a',
  'j+k=(1).css',
  'b/',
  'l/m/',
] as const;

/** An archive of a few entries with plain names. Most are valid. Some contain fields that must be rejected. */
export function randomZip(random: Random): Buffer {
  const names = NAMES.filter(() => random() < 0.4);
  const prefix = random() < 0.2 ? 'top/' : '';
  const style = random() < 0.5 ? 'descriptors' : 'unicode paths';
  const specs = ['index.html', ...names].map((name) => randomEntry(random, prefix + name, style));
  const zip: ZipSpec = {
    ...(random() < 0.2 ? { comment: Buffer.alloc(below(random, 40), 0x63) } : {}),
    ...(random() < 0.2 ? { end64: {} } : {}),
    ...(random() < 0.1 ? { end64: {}, end: { entries: 0xffff, directoryOffset: 0xffffffff } } : {}),
    ...(random() < 0.2 ? { directory: (headers: Buffer[]) => headers.toReversed() } : {}),
  };
  return buildZip(shuffled(random, specs), zip);
}

/** Not both in one archive: UnZip 6.0 then computes a wrong length of descriptors, and reports overlapping entries. */
type Style = 'descriptors' | 'unicode paths';

function randomEntry(random: Random, name: string, style: Style): EntrySpec {
  const folder = name.endsWith('/');
  const zip64 = random() < 0.15;
  const data = folder
    ? Buffer.alloc(0)
    : Buffer.from(pick(random, ['', 'x', 'abc '.repeat(below(random, 300)), String(random())]));
  const descriptor =
    style === 'descriptors' && random() < 0.5
      ? pick(
          random,
          zip64 ? (['signed64', 'plain64'] as const) : (['signed32', 'plain32'] as const),
        )
      : undefined;
  const host = pick(random, [0, 0, 3, 3, 3, 10, 11, 19, below(random, 256)]);
  const kind = folder ? 0o040000 : 0o100000;
  const permissions = pick(random, [0o644, 0o755, 0o777, 0o4755, 0o600]);
  const unix = random() < 0.7 ? ((kind | permissions) << 16) >>> 0 : 0;
  const dos = folder ? 0x10 : pick(random, [0, 0x20, 0x01]);
  const rareFlag = random() < 0.08 ? 1 << below(random, 16) : 0;
  return {
    name,
    data,
    deflate: random() < 0.6,
    host,
    attributes: random() < 0.97 ? (unix | dos) >>> 0 : below(random, 2 ** 32),
    flags: (descriptor === undefined ? 0 : 8) | pick(random, [0, 0, 2, 4, 6, 0x800]) | rareFlag,
    ...(descriptor === undefined ? {} : { descriptor }),
    ...(zip64 ? { zip64 } : {}),
    ...(random() < 0.2 ? { comment: 'c'.repeat(below(random, 20)) } : {}),
    ...(random() < 0.4 ? { extra: randomExtra(random, name, style) } : {}),
  };
}

function randomExtra(random: Random, name: string, style: Style): Buffer {
  const fields = [
    () => extraField(0x5455, Buffer.from([1]), u32(below(random, 2 ** 31))),
    () => extraField(0x7875, Buffer.from([1, 4]), u32(1000), Buffer.from([4]), u32(1000)),
    () => extraField(0x000a, u32(0), u16(1), u16(24), u64(1n), u64(2n), u64(3n)),
    () => (style === 'descriptors' ? Buffer.alloc(0) : unicodePath(name, name)),
    () => extraField(below(random, 65536), Buffer.alloc(below(random, 12), below(random, 256))),
  ];
  return Buffer.concat(fields.filter(() => random() < 0.4).map((field) => field()));
}

function shuffled<T>(random: Random, values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}

const WORDS = [
  0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, 8, 0x800, 22, 30, 46,
] as const;
const SIGNATURES = [
  0x04034b50, 0x02014b50, 0x06054b50, 0x06064b50, 0x07064b50, 0x08074b50,
] as const;

/** One to three changes of an archive: bits, numbers, signatures, and ranges that are removed, doubled or replaced. */
function mutate(random: Random, zip: Buffer, other: Buffer): Buffer {
  let mutated: Buffer = Buffer.from(zip);
  for (let left = 1 + below(random, 3); left > 0; left--) {
    if (mutated.length > 0) mutated = mutateOnce(random, mutated, other);
  }
  return mutated;
}

function mutateOnce(random: Random, zip: Buffer, other: Buffer): Buffer {
  // Most fields are in the directory and the end record. Half of the changes are there.
  const at =
    random() < 0.5
      ? below(random, zip.length)
      : zip.length - 1 - below(random, Math.min(zip.length, 150));
  const length = 1 + below(random, pick(random, [4, 30, 200]));
  const head = zip.subarray(0, at);
  const tail = zip.subarray(at + length);
  switch (below(random, 8)) {
    case 0:
      zip[at] = (zip[at] ?? 0) ^ (1 << below(random, 8));
      return zip;
    case 1:
      zip[at] = below(random, 256);
      return zip;
    case 2: {
      u64(pick(random, WORDS)).copy(zip, at, 0, pick(random, [2, 4, 8]));
      return zip;
    }
    case 3:
      u32(pick(random, SIGNATURES)).copy(zip, at);
      return zip;
    case 4:
      return Buffer.concat([head, tail]);
    case 5:
      return Buffer.concat([head, zip.subarray(at, at + length), zip.subarray(at)]);
    case 6: {
      const from = below(random, other.length);
      return Buffer.concat([
        head,
        other.subarray(from, from + length),
        random() < 0.5 ? tail : zip.subarray(at),
      ]);
    }
    default: {
      const value = (zip.readUInt8(at) + pick(random, [1, 255])) & 255;
      zip[at] = value;
      return zip;
    }
  }
}

export type FuzzResult = {
  readonly inputs: number;
  readonly accepted: Buffer[];
  readonly acceptedCount: number;
  /** The number of rejected inputs by code. */
  readonly refused: ReadonlyMap<string, number>;
};

/**
 * Checks this number of mutations. An accepted one has the same digest as its archive, or its content was changed
 * consistently. Up to 100 of those are returned, so that other tools can extract them.
 */
export async function fuzzMutations(seed: number, inputs: number): Promise<FuzzResult> {
  const random = randomFrom(seed);
  const accepted: Buffer[] = [];
  const refused = new Map<string, number>();
  let acceptedCount = 0;
  let base = randomZip(random);
  for (let i = 0; i < inputs; i++) {
    if (i % 20 === 0) base = randomZip(random);
    const input = mutate(random, base, randomBase(random, base));
    const verdict = await judgeOrReport(seed, i, input);
    if (typeof verdict === 'string') {
      refused.set(verdict, (refused.get(verdict) ?? 0) + 1);
      continue;
    }
    acceptedCount++;
    if (accepted.length < 100 && random() < 0.05) accepted.push(input);
  }
  return { inputs, accepted, acceptedCount, refused };
}

function randomBase(random: Random, base: Buffer): Buffer {
  return random() < 0.05 ? randomZip(random) : base;
}

async function judgeOrReport(seed: number, i: number, input: Buffer) {
  try {
    return await judge(input);
  } catch (error) {
    throw new Error(`seed ${seed}, input ${i}: ${input.toString('base64')}`, { cause: error });
  }
}
