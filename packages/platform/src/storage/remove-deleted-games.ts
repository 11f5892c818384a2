// Removes deleted games that can no longer be restored.
import { writeAudit } from '../access/audit.ts';
import { lockAnyGame } from '../access/own-game.ts';
import type { GamesTable, Trx } from '../database/schema.ts';
import type { Platform } from '../platform.ts';
import type { DoItem } from './do-item.ts';
import { removeGame } from './remove-game.ts';

const DAY_MS = 24 * 3600 * 1000;

/** Returns when a game that was deleted at a time is removed. Both are in milliseconds since 1970. */
export function removalTime({ limits }: Pick<Platform, 'limits'>, deletedAt: number): number {
  return deletedAt + limits.deleted_game_days * DAY_MS;
}

/**
 * Removes the games whose owners deleted them `deleted_game_days` ago, by the limit that this process has now. Restores those that are public:
 * a process of the previous version has published them.
 */
export async function removeDeletedGames(
  { db, now, limits }: Pick<Platform, 'db' | 'now' | 'limits'>,
  doItem: DoItem,
): Promise<void> {
  const latest = now() - limits.deleted_game_days * DAY_MS;
  const due = await db
    .selectFrom('games')
    .select('id')
    .where('deleted_at', 'is not', null)
    .where(({ eb, or }) => or([eb('deleted_at', '<=', latest), eb('status', '=', 'published')]))
    .orderBy('deleted_at')
    .execute();
  for (const { id } of due) {
    await doItem(`project ${id}`, () =>
      db.transaction().execute(async (trx) => {
        const game = await lockAnyGame(trx, id);
        // Its owner may have restored it, or another process may have removed it.
        if (game?.deleted_at == null) return;
        if (game.status === 'published') await restorePublic(trx, game, now());
        else if (game.deleted_at <= latest) {
          await removeGame(trx, game, { actor: null, now: now() });
        }
      }),
    );
  }
}

async function restorePublic(trx: Trx, { id, slug }: GamesTable, at: number): Promise<void> {
  await trx.updateTable('games').set({ deleted_at: null }).where('id', '=', id).execute();
  const action = 'project.restored';
  await writeAudit(trx, { at, actor: null, action, subject: id, detail: slug });
}
