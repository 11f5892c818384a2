// The limits of the product's caches, from its code.

import { MEMORY_ENTRY_BYTES } from '@svc/delivery';
import { HEADER_BYTES, USED_EVERY_MS } from '../../packages/platform/src/files/block-cache.ts';
import { BLOCK_BYTES } from '../../packages/platform/src/files/cache-files.ts';
import { readSettings } from '../../packages/platform/src/index.ts';
import { MEMORY_BYTES } from '../../packages/platform/src/play/answer-play.ts';
import { CACHED_FILES } from '../../packages/platform/src/play/find-file.ts';
import { CACHED_GAMES } from '../../packages/platform/src/play/find-game.ts';
import { CACHED_MANIFEST_FILES } from '../../packages/platform/src/play/manifest-cache.ts';

/** The limits of a process. Sizes are in bytes, `games`, `forms` and `manifestFiles` are numbers of entries. */
export type Limits = {
  readonly memory: number;
  readonly memoryEntry: number;
  readonly disk: number;
  readonly block: number;
  readonly blockHeader: number;
  readonly usedEveryMs: number;
  readonly games: number;
  readonly forms: number;
  readonly manifestFiles: number;
};

export const PRODUCT_LIMITS: Limits = {
  memory: MEMORY_BYTES,
  memoryEntry: MEMORY_ENTRY_BYTES,
  disk: readSettings({}).cacheMib * 1024 * 1024,
  block: BLOCK_BYTES,
  blockHeader: HEADER_BYTES,
  usedEveryMs: USED_EVERY_MS,
  games: CACHED_GAMES,
  forms: CACHED_FILES,
  manifestFiles: CACHED_MANIFEST_FILES,
};
