// Finds a release by its id: the live one of a game, one that its owner lets players choose, or one that was replaced a short time
// ago. Releases are cached until their game changes.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../platform.ts';
import { effectiveIsolation } from '../projects/game-records.ts';
import { CACHED_GAMES, type LiveGame } from './find-game.ts';

const HOUR_MS = 3600 * 1000;

/** A release that may be played, until a time in milliseconds since 1970. Null without an end. */
type Kept = { readonly game: LiveGame; readonly until: number | null };

export type ReleaseFinder = {
  /**
   * Returns the release from the cache; undefined if it is not cached, may have changed, or may not be played. That is never answered
   * from memory: the page may have come from another process, which has heard of the release before this one.
   */
  recall(slug: string, id: string): LiveGame | undefined;
  /** Returns the release from the database; null if it may not be played. */
  read(slug: string, id: string): Promise<LiveGame | null>;
};

export function createReleaseFinder(platform: Platform): ReleaseFinder {
  const { changes, now } = platform;
  const releases = new LRUCache<string, { readonly stamp: number; readonly kept: Kept }>({
    max: CACHED_GAMES,
  });
  const playable = (kept: Kept | null): LiveGame | null =>
    kept === null || (kept.until !== null && kept.until <= now()) ? null : kept.game;
  return {
    recall(slug, id) {
      const known = releases.get(`${slug} ${id}`);
      if (known === undefined || known.stamp !== changes.stampOf(slug)) return undefined;
      return changes.isCurrent() ? (playable(known.kept) ?? undefined) : undefined;
    },
    async read(slug, id) {
      // Read before the query: a write during the query must invalidate the result.
      const stamp = changes.stampOf(slug);
      const kept = await readRelease(platform, slug, id);
      if (kept !== null) releases.set(`${slug} ${id}`, { stamp, kept });
      return playable(kept);
    },
  };
}

async function readRelease(
  { db, limits }: Platform,
  slug: string,
  id: string,
): Promise<Kept | null> {
  const row = await db
    .selectFrom('releases')
    .innerJoin('games', 'games.id', 'releases.game_id')
    .select(['games.id', 'games.profiling', 'games.isolation as chosen', 'games.live_release_id'])
    .select(['releases.manifest_id', 'releases.isolation'])
    .select(['releases.replaced_at', 'releases.playable'])
    .where('releases.id', '=', id)
    .where('games.slug', '=', slug)
    .where('games.status', '=', 'published')
    .where('releases.taken_down_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined || row.manifest_id === null) return null;
  const isKept = row.live_release_id === id || row.playable === 1;
  if (!isKept && row.replaced_at === null) return null;
  const isolation = effectiveIsolation(row.chosen, row.isolation);
  const profiling = row.profiling === 1;
  return {
    game: { id: row.id, releaseId: id, manifestId: row.manifest_id, isolation, profiling },
    until: isKept ? null : Number(row.replaced_at) + limits.replaced_release_hours * HOUR_MS,
  };
}

/** Returns the ids of the manifests of releases that are not live and may be played, the newest first. */
export async function playableManifests(
  { db, limits, now }: Platform,
  gameId: string,
): Promise<string[]> {
  const since = now() - limits.replaced_release_hours * HOUR_MS;
  const rows = await db
    .selectFrom('releases')
    .select('manifest_id')
    .where('game_id', '=', gameId)
    .where('manifest_id', 'is not', null)
    .where('taken_down_at', 'is', null)
    .where(({ eb, or }) => or([eb('playable', '=', 1), eb('replaced_at', '>', since)]))
    .orderBy('created_at', 'desc')
    .execute();
  return rows.flatMap(({ manifest_id }) => manifest_id ?? []);
}
