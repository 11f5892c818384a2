// Finds the forms of a file by slug and path. Results are cached until the database changes.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../platform.ts';
import { effectiveIsolation } from '../projects/game-records.ts';
import { makeRepresentations, type Representations, type ServedFile } from './representations.ts';

const CACHED_GAMES = 10_000;
const CACHED_FILES = 50_000;

/** The columns of a published game that play needs. */
type LiveGame = {
  readonly id: string;
  readonly releaseId: string;
  readonly isolation: 'none' | 'credentialless' | 'require-corp';
};

/** A game, or null if there is none, as of a change stamp of the database. */
type StampedGame = { readonly stamp: number; readonly game: LiveGame | null };

export type FileFinder = {
  /** Returns the file at the path from the cache; null if there is no file or game, undefined if it is not cached. */
  recall(slug: string, path: string): Representations | null | undefined;
  /** Returns the file at the path from the cache or the database; null if there is no file or game. */
  find(slug: string, path: string): Promise<Representations | null>;
};

export function createFileFinder(platform: Platform): FileFinder {
  const { changeStamp } = platform.database;
  const games = new LRUCache<string, StampedGame>({ max: CACHED_GAMES });
  // The files of a release never change.
  const files = new LRUCache<string, Representations>({ max: CACHED_FILES });

  const recallGame = (slug: string): LiveGame | null | undefined => {
    const known = games.get(slug);
    if (changeStamp === null || known === undefined) return undefined;
    return known.stamp === changeStamp() ? known.game : undefined;
  };
  const findGame = async (slug: string): Promise<LiveGame | null> => {
    const known = recallGame(slug);
    if (known !== undefined) return known;
    // Read before the query: a write during the query must invalidate the result.
    const stamp = changeStamp?.() ?? 0;
    const game = await readGame(platform, slug);
    if (changeStamp !== null) games.set(slug, { stamp, game });
    return game;
  };
  const fileKey = (game: LiveGame, path: string): string =>
    `${game.releaseId} ${game.isolation} ${path}`;

  return {
    recall(slug, path) {
      const game = recallGame(slug);
      if (game === undefined || game === null) return game;
      return files.get(fileKey(game, path));
    },
    async find(slug, path) {
      const game = await findGame(slug);
      if (game === null) return null;
      const key = fileKey(game, path);
      const known = files.get(key);
      if (known !== undefined) return known;
      const { webOrigin } = platform.addresses;
      const live = await readLiveFile(platform, game, path);
      const file = live ?? (await readKeptFile(platform, game, path));
      if (file === undefined) return null;
      const forms = makeRepresentations(game.id, file, game.isolation, webOrigin);
      if (live !== undefined) files.set(key, forms);
      return forms;
    },
  };
}

async function readGame({ db }: Platform, slug: string): Promise<LiveGame | null> {
  const row = await db
    .selectFrom('games')
    .innerJoin('releases', 'releases.id', 'games.live_release_id')
    .select([
      'games.id',
      'releases.id as releaseId',
      'games.isolation as chosen',
      'releases.isolation',
    ])
    .where('games.slug', '=', slug)
    .where('games.status', '=', 'published')
    .executeTakeFirst();
  if (row === undefined) return null;
  const isolation = effectiveIsolation(row.chosen, row.isolation);
  return { id: row.id, releaseId: row.releaseId, isolation };
}

function readLiveFile(
  { db }: Platform,
  game: LiveGame,
  path: string,
): Promise<ServedFile | undefined> {
  return db
    .selectFrom('release_files as file')
    .innerJoin('contents as content', (join) =>
      join.onRef('content.hash', '=', 'file.hash').on('content.game_id', '=', game.id),
    )
    .select(['file.hash', 'file.type', 'file.encoding', 'file.bytes', 'file.inner_bytes'])
    .select(['file.hashed_name', 'content.gzip_bytes', 'content.br_bytes'])
    .where('file.release_id', '=', game.releaseId)
    .where('file.path', '=', path)
    .executeTakeFirst();
}

function readKeptFile(
  { db, now }: Platform,
  game: LiveGame,
  path: string,
): Promise<ServedFile | undefined> {
  return db
    .selectFrom('kept_files as file')
    .innerJoin('contents as content', (join) =>
      join.onRef('content.hash', '=', 'file.hash').on('content.game_id', '=', game.id),
    )
    .select(['file.hash', 'file.type', 'file.encoding', 'file.bytes', 'file.inner_bytes'])
    .select(['file.hashed_name', 'content.gzip_bytes', 'content.br_bytes'])
    .where('file.game_id', '=', game.id)
    .where('file.path', '=', path)
    .where('file.until', '>', now())
    .executeTakeFirst();
}
