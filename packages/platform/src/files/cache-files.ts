// Files of a distant store through a local cache. A key never means two contents, so the cache is never stale.
import { createHash } from 'node:crypto';
import type { Block, BlockCache, OpenBlock } from './block-cache.ts';
import type { FileStore, OpenFile } from './file-store.ts';

/** Most files of games are smaller, and are one block. */
export const BLOCK_BYTES = 2 * 1024 * 1024;
/** The key of a content that is not compressed ends with its SHA-256. */
const CONTENT = /\/([0-9a-f]{64})$/;

/** A store that can read a part of a file with one request. */
export type DistantStore = FileStore & {
  /** Reads the bytes from `start` up to `end`, fewer at the end of the file. Throws a `MissingFileError`. */
  readPart(key: string, start: number, end: number): Promise<Block>;
};

/** Returns the files of the store through the cache. */
export function cacheFiles(store: DistantStore, cache: BlockCache): Pick<FileStore, 'open'> {
  const openBlock = (key: string, index: number): Promise<OpenBlock> => {
    const start = index * BLOCK_BYTES;
    return cache.open(nameOf(key, index), async () => {
      const block = await store.readPart(key, start, start + BLOCK_BYTES);
      checkContent(key, block);
      return block;
    });
  };
  return {
    open: async (key) => openFile(await openBlock(key, 0), (index) => openBlock(key, index)),
  };
}

/** Throws if a content of one block does not have its hash. */
function checkContent(key: string, { bytes, total }: Block): void {
  const expected = CONTENT.exec(key)?.[1];
  if (expected === undefined || bytes.length !== total) return;
  if (createHash('sha256').update(bytes).digest('hex') === expected) return;
  throw new Error(`The stored file "${key}" is damaged. Run svc-platform check --repair`);
}

function nameOf(key: string, index: number): string {
  return createHash('sha256').update(`${index} ${key}`).digest('hex');
}

/** A file that is read block by block. One block is open at a time. */
function openFile(first: OpenBlock, openBlock: (index: number) => Promise<OpenBlock>): OpenFile {
  const { total } = first;
  let current: { readonly index: number; readonly block: OpenBlock } | null = {
    index: 0,
    block: first,
  };
  const blockAt = async (index: number): Promise<OpenBlock> => {
    if (current?.index === index) return current.block;
    await current?.block.close();
    current = null;
    const block = await openBlock(index);
    current = { index, block };
    return block;
  };
  return {
    bytes: total,
    async read(buffer, position) {
      if (position >= total) return 0;
      const block = await blockAt(Math.floor(position / BLOCK_BYTES));
      return block.read(buffer, position % BLOCK_BYTES);
    },
    async close() {
      await current?.block.close();
      current = null;
    },
  };
}
