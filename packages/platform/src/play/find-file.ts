// Finds the forms of a file by slug and path.
import { makeRepresentations, type Representations } from '@svc/delivery';
import { LRUCache } from 'lru-cache';
import type { ManifestFile } from '../database/manifest.ts';
import { contentKey } from '../files/keys.ts';
import type { Platform } from '../platform.ts';
import { readManifest } from '../storage/manifests.ts';
import { createGameFinder, type LiveGame } from './find-game.ts';
import { createManifestCache } from './manifest-cache.ts';

/** Largest number of files whose headers are prepared. */
export const CACHED_FILES = 50_000;

export type FileFinder = {
  /** Returns the file at the path from the cache; null if there is no game, undefined if it is not cached. */
  recall(slug: string, path: string): Representations | null | undefined;
  /** Returns the file at the path from the cache or the database; null if there is no file or game. */
  find(slug: string, path: string): Promise<Representations | null>;
};

export function createFileFinder(platform: Platform): FileFinder {
  const games = createGameFinder(platform);
  const readFile = createManifestCache((id) => readManifest(platform.db, id));
  // A manifest never changes.
  const files = new LRUCache<string, Representations>({ max: CACHED_FILES });

  /** Always queries the database, because deleting a release takes its kept files away at once. */
  const findKept = async (game: LiveGame, path: string): Promise<ManifestFile | undefined> => {
    for (const id of await keptManifests(platform, game.id)) {
      const file = await readFile(id, path);
      if (file) return file;
    }
    return undefined;
  };
  const fileKey = (game: LiveGame, path: string): string =>
    `${game.manifestId} ${game.isolation} ${game.profiling} ${path}`;

  /** Returns undefined if the manifest of the game no longer exists. */
  const findIn = async (
    game: LiveGame,
    path: string,
  ): Promise<Representations | null | undefined> => {
    const key = fileKey(game, path);
    const known = files.get(key);
    if (known !== undefined) return known;
    const live = await readFile(game.manifestId, path);
    if (live === null) return undefined;
    const file = live ?? (await findKept(game, path));
    if (file === undefined) return null;
    const forms = makeRepresentations(file, {
      isolation: game.isolation,
      profiling: game.profiling,
      embedder: platform.addresses.webOrigin,
      keyOf: (coding) => contentKey(game.id, file, coding),
    });
    if (live !== undefined) files.set(key, forms);
    return forms;
  };

  return {
    recall(slug, path) {
      const game = games.recall(slug);
      if (game === undefined || game === null) return game;
      return files.get(fileKey(game, path));
    },
    async find(slug, path) {
      const known = games.recall(slug);
      const game = known === undefined ? await games.read(slug) : known;
      if (game === null) return null;
      const found = await findIn(game, path);
      // What is missing in a game that was read for this request is missing.
      if (found || (found === null && known === undefined)) return found;
      // The page may have come from another process, which has heard of the next release before this one. And a release that
      // is replaced and deleted, or repaired, loses its manifest.
      const next = await games.read(slug);
      if (next === null || next.manifestId === game.manifestId) return null;
      return (await findIn(next, path)) ?? null;
    },
  };
}

/** Returns the ids of the manifests of kept files, the last replaced release first. */
async function keptManifests({ db, now }: Platform, gameId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('kept_manifests')
    .select('manifest_id')
    .where('game_id', '=', gameId)
    .where('until', '>', now())
    .orderBy('until', 'desc')
    .orderBy('manifest_id', 'desc')
    .execute();
  return rows.map((row) => row.manifest_id);
}
