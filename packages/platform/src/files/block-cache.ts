// A bounded cache of blocks in a local folder. It survives a restart. A block from before the restart is verified when it is
// first used. Blocks that were not used for the longest time are removed first.
import { createHash, randomUUID } from 'node:crypto';
import {
  type FileHandle,
  mkdir,
  open,
  opendir,
  rename,
  rm,
  stat,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@svc/observe';
import { LRUCache } from 'lru-cache';

/** SHA-256 of the rest, and the size of the whole file as a 64-bit number. */
export const HEADER_BYTES = 40;
const HASH_BYTES = 32;
const NAME = /^[0-9a-f]{64}$/;
/** The time of use of a file is written at most this often. */
export const USED_EVERY_MS = 3600 * 1000;

/** A block of a file, with the size of the whole file in bytes. */
export type Block = { readonly bytes: Buffer; readonly total: number };

/** A cached block, open for reading. Closing it allows its removal. */
export type OpenBlock = {
  readonly bytes: number;
  readonly total: number;
  /** Reads from the position in the block. Returns the number of bytes read. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
};

/** Disposing of it waits for blocks that are being written. */
export type BlockCache = AsyncDisposable & {
  /** Opens the block with this name. Calls `load` for one that is not cached, once for all callers at the same time. */
  open(name: string, load: () => Promise<Block>): Promise<OpenBlock>;
};

type Entry = { readonly bytes: number; isVerified: boolean; usedAt: number };

type CacheOptions = {
  readonly folder: string;
  readonly maxBytes: number;
  /** Receives lines for the operator. */
  readonly log: Log;
  /** Called for each block with whether it was in the cache. */
  readonly onLookup?: (isHit: boolean) => void;
};

/** Opens the cache in the folder, with the blocks that are in it. */
export async function openBlockCache({
  folder,
  maxBytes,
  log,
  onLookup = () => {},
}: CacheOptions): Promise<BlockCache> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const pathOf = (name: string): string => join(folder, name);
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: (entry) => entry.bytes,
    dispose: (_entry, name, reason) => {
      if (reason !== 'set') unlink(pathOf(name)).catch(() => {});
    },
  });
  for (const { name, bytes, usedAt } of await readEntries(folder)) {
    entries.set(name, { bytes, isVerified: false, usedAt });
  }
  const loading = new Map<string, Promise<Block>>();
  const writing = new Set<Promise<void>>();
  let isFull = false;

  const keep = async (name: string, block: Block): Promise<void> => {
    const content = withHeader(block);
    if (content.length > maxBytes) return;
    const temporary = pathOf(`${randomUUID()}.new`);
    try {
      await writeFile(temporary, content, { mode: 0o600 });
      await rename(temporary, pathOf(name));
      entries.set(name, { bytes: content.length, isVerified: true, usedAt: Date.now() });
    } catch (error) {
      await rm(temporary, { force: true });
      if (!isFull)
        log.warn(`a file cannot be cached, and is read from the store each time: ${String(error)}`);
      isFull = true;
    }
  };
  const loadOnce = (name: string, load: () => Promise<Block>): Promise<Block> => {
    const known = loading.get(name);
    if (known !== undefined) return known;
    const loaded = load();
    loading.set(name, loaded);
    // The callers need not wait for the disk.
    const written = loaded
      .then((block) => keep(name, block))
      .catch(() => {})
      .finally(() => {
        loading.delete(name);
        writing.delete(written);
      });
    writing.add(written);
    return loaded;
  };

  return {
    async open(name, load) {
      const entry = entries.get(name);
      if (entry !== undefined) {
        const cached = await openCached(pathOf(name), entry);
        if (cached !== null) {
          onLookup(true);
          return cached;
        }
        entries.delete(name);
      }
      onLookup(false);
      return inMemory(await loadOnce(name, load));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(writing);
    },
  };
}

/** The blocks in the folder, the one that was used last at the end. Removes incomplete files that a killed process left. */
async function readEntries(folder: string) {
  const found: { name: string; bytes: number; usedAt: number }[] = [];
  for await (const { name } of await opendir(folder)) {
    const path = join(folder, name);
    const { size, mtimeMs } = await stat(path);
    if (NAME.test(name) && size >= HEADER_BYTES) {
      found.push({ name, bytes: size, usedAt: mtimeMs });
    } else if (NAME.test(name) || name.endsWith('.new')) await rm(path, { force: true });
  }
  return found.sort((a, b) => a.usedAt - b.usedAt);
}

function withHeader({ bytes, total }: Block): Buffer {
  const content = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  content.writeBigUInt64BE(BigInt(total), HASH_BYTES);
  bytes.copy(content, HEADER_BYTES);
  hashOf(content).copy(content);
  return content;
}

function hashOf(content: Buffer): Buffer {
  return createHash('sha256').update(content.subarray(HASH_BYTES)).digest();
}

/** Opens a cached block. Returns null if it is missing, damaged, or cannot be read. */
async function openCached(path: string, entry: Entry): Promise<OpenBlock | null> {
  const handle = await open(path, 'r').catch(() => null);
  if (handle === null) return null;
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    await handle.read(header, 0, HEADER_BYTES, 0);
    if (!entry.isVerified && !(await isIntact(handle, entry.bytes))) {
      await handle.close();
      return null;
    }
    entry.isVerified = true;
    await noteUse(path, entry);
    return blockOf(handle, entry.bytes - HEADER_BYTES, Number(header.readBigUInt64BE(HASH_BYTES)));
  } catch {
    // The disk cannot read the file. The store has it.
    await handle.close();
    return null;
  }
}

async function isIntact(handle: FileHandle, bytes: number): Promise<boolean> {
  const content = Buffer.allocUnsafe(bytes);
  const { bytesRead } = await handle.read(content, 0, bytes, 0);
  return bytesRead === bytes && hashOf(content).equals(content.subarray(0, HASH_BYTES));
}

/** Writes the time of use to the file, for the order after a restart. */
async function noteUse(path: string, entry: Entry): Promise<void> {
  const now = Date.now();
  if (now - entry.usedAt < USED_EVERY_MS) return;
  entry.usedAt = now;
  await utimes(path, new Date(now), new Date(now)).catch(() => {});
}

function blockOf(handle: FileHandle, bytes: number, total: number): OpenBlock {
  return {
    bytes,
    total,
    read: async (buffer, position) => {
      const length = Math.min(buffer.byteLength, bytes - position);
      const { bytesRead } = await handle.read(buffer, 0, length, HEADER_BYTES + position);
      return bytesRead;
    },
    close: () => handle.close(),
  };
}

function inMemory({ bytes, total }: Block): OpenBlock {
  return {
    bytes: bytes.length,
    total,
    read: async (buffer, position) =>
      bytes.copy(buffer, 0, position, Math.min(bytes.length, position + buffer.byteLength)),
    close: async () => {},
  };
}
