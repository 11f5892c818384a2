// One process of the platform as a model: which cache answers a request, in the order in which the product asks them.
import type { Limits } from './product-limits.ts';
import { SizedLru } from './sized-lru.ts';
import type { PlayedFile } from './workload.ts';

/** What requests caused. A file that is too large for the memory is read in blocks, and each of them counts as a read. */
export type Counts = {
  requests: number;
  sentBytes: number;
  reads: number;
  memoryHits: number;
  diskHits: number;
  storeReads: number;
  storeBytes: number;
  queries: number;
};

export type ModelProcess = {
  /** Handles a request. `now` is in milliseconds. */
  request(file: PlayedFile, now: number): void;
  /** Ends and starts again. The cache on the disk remains if `keepsDisk`. */
  restart(keepsDisk: boolean): void;
  /** The share of the cache on the disk that is used. */
  diskUse(): number;
};

/** A block on the disk: when its use was last written to the disk, in milliseconds. */
type Block = { usedAt: number };

/** The largest number of blocks of a file. */
const BLOCKS = 64;

export function noCounts(): Counts {
  return {
    ...{ requests: 0, sentBytes: 0, reads: 0, memoryHits: 0 },
    ...{ diskHits: 0, storeReads: 0, storeBytes: 0, queries: 0 },
  };
}

/** Creates a process that adds to the counts. */
export function createModelProcess(limits: Limits, counts: Counts): ModelProcess {
  const games = new SizedLru<number>(limits.games);
  const forms = new SizedLru<true>(limits.forms);
  const manifests = new SizedLru<true>(limits.manifestFiles);
  const memory = new SizedLru<true>(limits.memory);
  const disk = new SizedLru<Block>(limits.disk);

  const find = ({ game, manifest, form, filesInManifest }: PlayedFile): void => {
    if (games.get(game) !== manifest) {
      counts.queries++;
      games.set(game, manifest, 1);
    }
    if (forms.get(form) !== undefined) return;
    if (manifests.get(manifest) === undefined) {
      counts.queries++;
      manifests.set(manifest, true, filesInManifest);
    }
    forms.set(form, true, 1);
  };
  const readBlock = (key: number, bytes: number, now: number): void => {
    counts.reads++;
    const block = disk.get(key);
    if (block !== undefined) {
      counts.diskHits++;
      if (now - block.usedAt >= limits.usedEveryMs) block.usedAt = now;
      return;
    }
    counts.storeReads++;
    counts.storeBytes += bytes;
    disk.set(key, { usedAt: now }, bytes + limits.blockHeader);
  };
  return {
    request(file, now) {
      counts.requests++;
      counts.sentBytes += file.bytes;
      find(file);
      if (memory.get(file.content) !== undefined) {
        counts.reads++;
        counts.memoryHits++;
        return;
      }
      const blocks = Math.max(1, Math.ceil(file.bytes / limits.block));
      for (let index = 0; index < blocks; index++) {
        const bytes = Math.min(limits.block, file.bytes - index * limits.block);
        readBlock(file.content * BLOCKS + index, bytes, now);
      }
      if (file.bytes <= limits.memoryEntry) memory.set(file.content, true, Math.max(1, file.bytes));
    },
    restart(keepsDisk) {
      for (const cache of [games, forms, manifests, memory]) cache.clear();
      // The product orders the blocks by the time of use on the disk.
      if (keepsDisk) disk.reorder((block) => block.usedAt);
      else disk.clear();
    },
    diskUse: () => (limits.disk === 0 ? 0 : disk.size / limits.disk),
  };
}
