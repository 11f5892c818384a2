// Stores the files of a build while it is unpacked: each new content once, with its compressed forms.
import { type FileHandle, open, rm, writeFile } from 'node:fs/promises';
import { type Coding, compressBytes, compressFile, isCompressed } from '@svc/delivery';
import type { BuildFile, BuildSink, FileWriter } from '@svc/game-build';
import { contentKey } from '../files/keys.ts';
import type { SpoolFolder } from '../files/spool.ts';
import type { Attempt } from '../storage/attempt.ts';
import type { Content } from '../storage/contents.ts';

const FILE_MODE = 0o600;

export type ContentKeeper = {
  readonly sink: BuildSink;
  /** Adds the contents of files that the sink does not get. Returns false if the project lacks one. */
  addKnown(files: readonly Pick<BuildFile, 'sha256'>[]): Promise<boolean>;
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
    const [gzip, br] = isCompressed(file)
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
  return {
    contents,
    added,
    sink: ({ bytes }) => createWriter(folder.newFile(), bytes, keep),
    async addKnown(files) {
      for (const { sha256 } of files) {
        if (contents.has(sha256)) continue;
        const known = await find(sha256);
        if (known === null) return false;
        contents.set(sha256, known);
      }
      return true;
    },
  };
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
  coding: Coding,
): Promise<Compressed | null> {
  const path = folder.newFile();
  if (written.memory === null) {
    const bytes = await compressFile(await written.settle(), path, coding);
    return bytes === null ? null : { path, bytes };
  }
  const compressed = await compressBytes(written.memory, coding);
  if (compressed === null) return null;
  await writeFile(path, compressed, { flag: 'wx', mode: FILE_MODE });
  return { path, bytes: compressed.length };
}
