// Finds and lists published games. Lists use keyset paging over partial indexes, so their speed does not depend on the size.
import { sql } from 'kysely';
import type { GamesTable, UsersTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { cutPage, type Page } from '../http/paging.ts';
import type { Platform } from '../platform.ts';
import { isTakenDown, TAKEN_DOWN } from '../projects/taken-down.ts';

type GamesPage = { readonly games: GamesTable[]; readonly next_cursor: string | null };

/** The filter of a list of published games. */
type GamesFilter = {
  readonly category?: string | undefined;
  readonly tag?: string | undefined;
  readonly developer?: string | undefined;
};

// A literal in the statement, not a bound value: otherwise SQLite does not use the partial index.
const PUBLISHED = sql.lit('published' as const);

/**
 * Returns the published game that has or had the slug. Throws the same `not_found` for an unknown game and for a draft, and
 * `unavailable_for_legal_reasons` for one that was taken down, if the server says so.
 */
export async function findPublishedGame(platform: Platform, slug: string): Promise<GamesTable> {
  const { db } = platform;
  const published = db.selectFrom('games').selectAll('games').where('status', '=', PUBLISHED);
  const game =
    (await published.where('slug', '=', slug).executeTakeFirst()) ??
    (await published
      .innerJoin('slugs', 'slugs.game_id', 'games.id')
      .where('slugs.slug', '=', slug)
      .executeTakeFirst());
  if (game !== undefined) return game;
  if (await isTakenDown(platform, slug)) {
    throw failure('unavailable_for_legal_reasons', TAKEN_DOWN);
  }
  throw failure('not_found', 'Cannot find this game');
}

/** Returns the developer of a game. */
export function findDeveloper({ db }: Platform, uid: string): Promise<UsersTable> {
  return db.selectFrom('users').selectAll().where('uid', '=', uid).executeTakeFirstOrThrow();
}

/** Returns the user if they have a public page as a developer: they are one, or have published games, and are not suspended. */
export function findDeveloperPage({ db }: Platform, uid: string): Promise<UsersTable | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('uid', '=', uid)
    .where('suspended_at', 'is', null)
    .where('deleted_at', 'is', null)
    .where(({ eb, or, exists, selectFrom }) =>
      or([
        eb('role', '<>', 'player'),
        exists(
          selectFrom('games')
            .select('games.id')
            .whereRef('games.developer_uid', '=', 'users.uid')
            .where('games.status', '=', PUBLISHED),
        ),
      ]),
    )
    .executeTakeFirst();
}

/** Returns the developers of the games, each once, in the order of the games. */
export async function findDevelopers(
  { db }: Platform,
  games: readonly GamesTable[],
): Promise<UsersTable[]> {
  const uids = [...new Set(games.map((game) => game.developer_uid))];
  if (uids.length === 0) return [];
  const rows = await db.selectFrom('users').selectAll().where('uid', 'in', uids).execute();
  const byUid = new Map(rows.map((user) => [user.uid, user]));
  return uids.flatMap((uid) => byUid.get(uid) ?? []);
}

/** Returns a page of published games, newest first. */
export async function listPublishedGames(
  platform: Platform,
  filter: GamesFilter,
  page: Page,
): Promise<GamesPage> {
  const rows =
    filter.tag === undefined
      ? await listGames(platform, filter, page)
      : await listTagged(platform, filter.tag, filter.category, page);
  const cut = cutPage(rows, page, (game) => ({ at: game.published_at ?? 0, id: game.id }));
  return { games: cut.rows, next_cursor: cut.next_cursor };
}

function listGames({ db }: Platform, filter: GamesFilter, page: Page): Promise<GamesTable[]> {
  let query = db.selectFrom('games').selectAll().where('status', '=', PUBLISHED);
  if (filter.category !== undefined) query = query.where('category', '=', filter.category);
  if (filter.developer !== undefined) query = query.where('developer_uid', '=', filter.developer);
  const { after } = page;
  if (after !== null) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('published_at', 'id'), '<', tuple(after.at, after.id)),
    );
  }
  return query
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

async function listTagged(
  { db }: Platform,
  tag: string,
  category: string | undefined,
  page: Page,
): Promise<GamesTable[]> {
  let query = db.selectFrom('game_tags').select('game_id').where('tag', '=', tag);
  if (category !== undefined) query = query.where('category', '=', category);
  const { after } = page;
  if (after !== null) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('published_at', 'game_id'), '<', tuple(after.at, after.id)),
    );
  }
  const found = await query
    .orderBy('published_at', 'desc')
    .orderBy('game_id', 'desc')
    .limit(page.limit + 1)
    .execute();
  return findGamesInOrder(
    db,
    found.map((row) => row.game_id),
  );
}

/** Returns the published games with these ids, in the order of the ids. */
export async function findGamesInOrder(
  db: Platform['db'],
  ids: readonly string[],
): Promise<GamesTable[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('games')
    .selectAll()
    .where('id', 'in', ids)
    .where('status', '=', PUBLISHED)
    .execute();
  const byId = new Map(rows.map((game) => [game.id, game]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
