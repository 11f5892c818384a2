// Moves the page of a game to another slug. Its earlier slugs stay its own and lead to its page.
import { actorOf, writeAudit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { lockOwnGame } from '../access/own-game.ts';
import type { Db, GamesTable, Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { Platform } from '../platform.ts';
import { pageSlug } from './game-records.ts';
import { claimNextSlug } from './slugs.ts';

/**
 * Returns the changed game. A game with a build is still played at its first slug, because browsers tie its saves to that address.
 * Throws `invalid_input`, `slug_taken`, `quota_exceeded`.
 */
export async function changeSlug(
  platform: Platform,
  caller: Caller,
  gameId: string,
  slug: string,
): Promise<GamesTable> {
  const changed = await platform.db.transaction().execute(async (trx) => {
    const game = await lockOwnGame(platform, trx, caller, gameId);
    const before = pageSlug(game);
    if (slug === before) return game;
    const uid = game.developer_uid;
    await claimNextSlug(platform, trx, { uid, slug, gameId }, before);
    await keepSlugs(platform, trx, gameId, [before, slug]);
    const columns = (await hasRelease(trx, gameId))
      ? { page_slug: slug === game.slug ? null : slug }
      : { slug, page_slug: null };
    const now = platform.now();
    await writeAudit(trx, {
      ...{ at: now, actor: actorOf(caller), action: 'project.moved', subject: gameId },
      detail: slug,
    });
    return await trx
      .updateTable('games')
      .set({ ...columns, updated_at: now })
      .where('id', '=', gameId)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
  // This process may have found no game there.
  platform.changes.changed(slug);
  return changed;
}

/** Returns the earlier slugs of a game, sorted. */
export async function formerSlugs(db: Db, game: GamesTable): Promise<string[]> {
  const rows = await db
    .selectFrom('slugs')
    .select('slug')
    .where('game_id', '=', game.id)
    .where('slug', '<>', pageSlug(game))
    .orderBy('slug')
    .execute();
  return rows.map(({ slug }) => slug);
}

async function hasRelease(trx: Trx, gameId: string): Promise<boolean> {
  const release = await trx
    .selectFrom('releases')
    .select('id')
    .where('game_id', '=', gameId)
    .limit(1)
    .executeTakeFirst();
  return release !== undefined;
}

/** Makes slugs those of the game for good. Throws `quota_exceeded` if it has too many. */
async function keepSlugs(
  { limits }: Platform,
  trx: Trx,
  gameId: string,
  slugs: readonly string[],
): Promise<void> {
  await trx.updateTable('slugs').set({ game_id: gameId }).where('slug', 'in', slugs).execute();
  const { count } = await trx
    .selectFrom('slugs')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('game_id', '=', gameId)
    .executeTakeFirstOrThrow();
  const limit = limits.former_slugs_per_project;
  if (Number(count) - 1 <= limit) return;
  throw failure(
    'quota_exceeded',
    `Cannot change the slug: the game has ${limit} earlier ones, and keeps them. Choose one of them`,
  );
}
