// Stores the files of a build while it is unpacked: each new content once, with its compressed forms.
import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rm, stat, writeFile } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { BuildFile, BuildSink, FileWriter } from '@svc/game-build';
import { contentKey } from '../files/keys.ts';
import type { SpoolFolder } from '../files/spool.ts';
import type { Attempt } from '../storage/attempt.ts';
import type { Content } from '../storage/contents.ts';

const FILE_MODE = 0o600;
/** Compressing smaller files saves no network packet. */
const COMPRESS_FROM_BYTES = 512;
/** A compressed form is stored if it has at most this share of the original size. */
const WORTH = 0.9;
/** Quality 5 compresses 30–40 MB/s on one core. Quality 11 takes about 60 times as long. */
const BROTLI_QUALITY = 5;
const GZIP_LEVEL = 6;

type ContentKeeper = {
  readonly sink: BuildSink;
  /** The contents of the build by hash: new ones, and those that the project had. */
  readonly contents: ReadonlyMap<string, Content>;
  /** The new contents among them. */
  readonly added: readonly Content[];
};

type KeeperInput = {
  readonly gameId: string;
  readonly folder: SpoolFolder;
  readonly attempt: Pick<Attempt, 'id' | 'batch'>;
  /** Returns the content of the project with this hash, if it is stored completely. */
  readonly find: (hash: string) => Promise<Content | null>;
};

/** Creates a keeper for one publish. It stores new contents in the place of the attempt. */
export function keepContents({ gameId, folder, attempt, find }: KeeperInput): ContentKeeper {
  const { batch } = attempt;
  const contents = new Map<string, Content>();
  const added: Content[] = [];
  const keep = async (file: BuildFile, written: WrittenFile): Promise<void> => {
    const hash = file.sha256;
    if (contents.has(hash)) return;
    const known = await find(hash);
    if (known !== null) {
      contents.set(hash, known);
      return;
    }
    const stored = { hash, place: attempt.id };
    const wanted = file.compressible && file.bytes >= COMPRESS_FROM_BYTES;
    const [gzip, br] = wanted
      ? await Promise.all([compress(written, folder, 'gzip'), compress(written, folder, 'br')])
      : [null, null];
    // Another file with the same content may have been stored meanwhile.
    if (contents.has(hash)) return;
    const content = { ...stored, bytes: file.bytes, ...variantBytes(gzip, br) };
    contents.set(hash, content);
    added.push(content);
    await batch.put(contentKey(gameId, stored), await written.settle());
    if (gzip !== null) await batch.put(contentKey(gameId, stored, 'gzip'), gzip.path);
    if (br !== null) await batch.put(contentKey(gameId, stored, 'br'), br.path);
  };
  return { contents, added, sink: ({ bytes }) => createWriter(folder.newFile(), bytes, keep) };
}

function variantBytes(gzip: Compressed | null, br: Compressed | null) {
  return { gzip_bytes: gzip?.bytes ?? null, br_bytes: br?.bytes ?? null };
}

/** A written file, in memory or on disk. */
type WrittenFile = {
  readonly memory: Buffer | null;
  /** Returns the path of a file with the whole content. */
  settle(): Promise<string>;
};

/** A file of one chunk stays in memory until its hash shows whether it is new. A longer file is written to disk at once. */
function createWriter(
  path: string,
  bytes: number,
  keep: (file: BuildFile, written: WrittenFile) => Promise<void>,
): FileWriter {
  let memory: Buffer = Buffer.alloc(0);
  let handle: FileHandle | null = null;
  const close = async (): Promise<void> => {
    await handle?.close();
    handle = null;
  };
  return {
    async write(chunk) {
      if (chunk.length === bytes) memory = chunk;
      else {
        handle ??= await open(path, 'wx', FILE_MODE);
        await handle.writeFile(chunk);
      }
    },
    async finish(file) {
      if (handle === null) return keep(file, inMemory(path, memory));
      await close();
      await keep(file, { memory: null, settle: async () => path });
    },
    async abort() {
      if (handle === null) return;
      await close();
      await rm(path, { force: true });
    },
  };
}

function inMemory(path: string, memory: Buffer): WrittenFile {
  return {
    memory,
    async settle() {
      await writeFile(path, memory, { flag: 'wx', mode: FILE_MODE });
      return path;
    },
  };
}

type Compressed = { readonly path: string; readonly bytes: number };

async function compress(
  written: WrittenFile,
  folder: SpoolFolder,
  encoding: 'gzip' | 'br',
): Promise<Compressed | null> {
  const path = folder.newFile();
  if (written.memory !== null) {
    const bytes = await compressMemory(written.memory, encoding);
    if (bytes.length > written.memory.length * WORTH) return null;
    await writeFile(path, bytes, { flag: 'wx', mode: FILE_MODE });
    return { path, bytes: bytes.length };
  }
  const source = await written.settle();
  await pipeline(
    createReadStream(source),
    compressor(encoding),
    createWriteStream(path, { mode: FILE_MODE }),
  );
  const [before, after] = await Promise.all([stat(source), stat(path)]);
  return after.size > before.size * WORTH ? null : { path, bytes: after.size };
}

const gzip = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gzip);
const brotli = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);

function compressMemory(bytes: Buffer, encoding: 'gzip' | 'br'): Promise<Buffer> {
  return encoding === 'gzip'
    ? gzip(bytes, { level: GZIP_LEVEL })
    : brotli(bytes, brotliOptions(bytes.length));
}

function compressor(encoding: 'gzip' | 'br'): Transform {
  return encoding === 'gzip'
    ? zlib.createGzip({ level: GZIP_LEVEL })
    : zlib.createBrotliCompress(brotliOptions(0));
}

function brotliOptions(bytes: number): zlib.BrotliOptions {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;
  return { params: { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes } };
}
