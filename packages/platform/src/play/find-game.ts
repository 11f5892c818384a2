// Finds the live release of a game by its slug. Games are cached until they change.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../platform.ts';
import { effectiveIsolation } from '../projects/game-records.ts';
import { isTakenDown } from '../projects/taken-down.ts';

/** Largest number of games in memory. */
export const CACHED_GAMES = 10_000;

/** What play needs of a published game. */
export type LiveGame = {
  readonly id: string;
  readonly releaseId: string;
  readonly manifestId: string;
  readonly isolation: 'none' | 'credentialless' | 'require-corp';
  /** Whether its pages may sample their own functions. */
  readonly profiling: boolean;
};

/** The slug in the address at which a game is played. Its page has another one, at which it was asked for. */
export type MovedGame = { readonly playedAs: string };

/** A game that the operator has taken down. Only if the server says so. */
export type TakenDownGame = { readonly takenDown: true };

/** A game, or null if there is none, as of a stamp of its changes. */
type StampedGame = { readonly stamp: number; readonly game: LiveGame | TakenDownGame | null };

export type GameFinder = {
  /**
   * Returns the game from the cache; null if there is none, undefined if it is not cached or may have changed. Another process may
   * have changed it up to a second ago.
   */
  recall(slug: string): LiveGame | TakenDownGame | null | undefined;
  /** Returns the game from the database, or that of a page with the slug; null if there is none. */
  read(slug: string): Promise<LiveGame | MovedGame | TakenDownGame | null>;
};

export function createGameFinder(platform: Platform): GameFinder {
  const { changes } = platform;
  const games = new LRUCache<string, StampedGame>({ max: CACHED_GAMES });
  return {
    recall(slug) {
      const known = games.get(slug);
      if (known === undefined || known.stamp !== changes.stampOf(slug)) return undefined;
      return changes.isCurrent() ? known.game : undefined;
    },
    async read(slug) {
      // Read before the query: a write during the query must invalidate the result.
      const stamp = changes.stampOf(slug);
      const live = await readGame(platform, slug);
      const moved = live === null ? await readMoved(platform, slug) : undefined;
      const game = live ?? (await readTakenDown(platform, slug));
      // Its changes are not counted under this slug.
      if (moved !== undefined) return moved.status === 'published' ? moved : game;
      games.set(slug, { stamp, game });
      return game;
    },
  };
}

async function readGame({ db }: Platform, slug: string): Promise<LiveGame | null> {
  const row = await db
    .selectFrom('games')
    .innerJoin('releases', 'releases.id', 'games.live_release_id')
    .select(['games.id', 'games.profiling', 'games.isolation as chosen'])
    .select(['releases.id as releaseId', 'releases.manifest_id', 'releases.isolation'])
    .where('games.slug', '=', slug)
    .where('games.status', '=', 'published')
    .executeTakeFirst();
  if (row === undefined || row.manifest_id === null) return null;
  const isolation = effectiveIsolation(row.chosen, row.isolation);
  const { id, releaseId, manifest_id: manifestId } = row;
  return { id, releaseId, manifestId, isolation, profiling: row.profiling === 1 };
}

async function readTakenDown(platform: Platform, slug: string): Promise<TakenDownGame | null> {
  return (await isTakenDown(platform, slug)) ? { takenDown: true } : null;
}

/** Finds a game by a slug that its page has or had. */
function readMoved({ db }: Platform, slug: string) {
  return db
    .selectFrom('slugs')
    .innerJoin('games', 'games.id', 'slugs.game_id')
    .select(['games.slug as playedAs', 'games.status'])
    .where('slugs.slug', '=', slug)
    .where('games.slug', '<>', slug)
    .executeTakeFirst();
}
