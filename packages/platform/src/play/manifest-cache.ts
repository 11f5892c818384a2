// Manifests in memory, for looking up files by their path.
import { LRUCache } from 'lru-cache';
import type { ManifestFile } from '../database/manifest.ts';

/** Largest number of files in all cached manifests. A file takes about 500 bytes. */
export const CACHED_MANIFEST_FILES = 100_000;

type Files = ReadonlyMap<string, ManifestFile>;

/** Returns the file at the path in a manifest; undefined if it has none, null if there is no such manifest any more. */
export type ManifestCache = (
  manifestId: string,
  path: string,
) => Promise<ManifestFile | undefined | null>;

/**
 * Creates a cache in front of `read`, which returns the files of a manifest, or none if there is no such manifest. Requests
 * for the same manifest at the same time read it once.
 */
export function createManifestCache(
  read: (manifestId: string) => Promise<readonly ManifestFile[]>,
): ManifestCache {
  const cache = new LRUCache<string, Files>({
    maxSize: CACHED_MANIFEST_FILES,
    sizeCalculation: ({ size }) => Math.max(1, size),
  });
  // Not with the cache's own `fetch`: it rejects those that wait for a manifest when others need the space.
  const reading = new Map<string, Promise<Files>>();
  const readFiles = async (id: string): Promise<Files> => {
    try {
      const files = new Map((await read(id)).map((file) => [file.path, file]));
      cache.set(id, files);
      return files;
    } finally {
      reading.delete(id);
    }
  };
  const filesOf = (id: string): Files | Promise<Files> => {
    const known = cache.get(id) ?? reading.get(id);
    if (known !== undefined) return known;
    const started = readFiles(id);
    reading.set(id, started);
    return started;
  };
  return async (manifestId, path) => {
    const files = await filesOf(manifestId);
    return files.size === 0 ? null : files.get(path);
  };
}
