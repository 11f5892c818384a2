// Whether the operator has taken a published game or a release of it down, for servers that say so to players.
import type { Platform } from '../platform.ts';

/** The message for players. */
export const TAKEN_DOWN = 'The operator of this server has taken this game down.';

type Asked = Pick<Platform, 'db' | 'saysTakenDown'>;

/** Returns whether a game with the slug was published and is hidden because it, or its live release, was taken down. */
export async function isTakenDown({ db, saysTakenDown }: Asked, slug: string): Promise<boolean> {
  if (!saysTakenDown) return false;
  const ofSlug = db.selectFrom('slugs').select('game_id').where('slug', '=', slug);
  const game = await db
    .selectFrom('games')
    .leftJoin('releases', 'releases.id', 'games.live_release_id')
    .select('games.id')
    .where(({ eb, or }) => or([eb('games.slug', '=', slug), eb('games.id', 'in', ofSlug)]))
    .where('games.owner_status', '=', 'published')
    .where('games.deleted_at', 'is', null)
    .where(({ eb, or }) =>
      or([eb('games.taken_down_at', 'is not', null), eb('releases.taken_down_at', 'is not', null)]),
    )
    .executeTakeFirst();
  return game !== undefined;
}

/** Returns whether the release of the game with this id was taken down, or the game. */
export async function isReleaseTakenDown(
  platform: Asked,
  slug: string,
  id: string,
): Promise<boolean> {
  if (!platform.saysTakenDown) return false;
  const release = await platform.db
    .selectFrom('releases')
    .innerJoin('games', 'games.id', 'releases.game_id')
    .select('releases.id')
    .where('releases.id', '=', id)
    .where('games.slug', '=', slug)
    .where('games.status', '=', 'published')
    .where('releases.taken_down_at', 'is not', null)
    .where('releases.staged', '=', 0)
    .where('releases.deleted_at', 'is', null)
    .executeTakeFirst();
  return release !== undefined || (await isTakenDown(platform, slug));
}
