// Deletes a game, and restores or removes what was deleted.
import { actorOf, writeAudit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { lockOwnDeletedGame, lockOwnGame } from '../access/own-game.ts';
import type { GamesTable, Trx } from '../database/schema.ts';
import type { Platform } from '../platform.ts';
import { removeGame } from '../storage/remove-game.ts';
import { waitForRemoval } from '../storage/wait-for-removal.ts';
import { settleStatus } from './game-status.ts';

/** Hides the game, so that its owner can restore it. If this server has no time for that, removes it with all its files. */
export async function deleteGame(
  platform: Platform,
  caller: Caller,
  gameId: string,
): Promise<void> {
  const isFinal = platform.limits.deleted_game_days === 0;
  await platform.db.transaction().execute(async (trx) => {
    const game = await lockOwnGame(platform, trx, caller, gameId);
    const now = platform.now();
    const actor = actorOf(caller);
    if (isFinal) return await removeGame(trx, game, { actor, now });
    await hideGame(trx, game, now);
    const record = { at: now, actor, subject: gameId, detail: game.slug };
    await writeAudit(trx, { ...record, action: 'project.deleted' });
  });
  if (isFinal) await waitForRemoval(platform.upkeep.removeFiles(gameId));
}

/** Marks the game as deleted. Its uploads in parts end, and the upkeep removes what they have stored. */
async function hideGame(trx: Trx, { id }: GamesTable, now: number): Promise<void> {
  await trx.updateTable('games').set({ deleted_at: now }).where('id', '=', id).execute();
  await trx.deleteFrom('uploads').where('game_id', '=', id).execute();
  await settleStatus(trx, id, now);
}

/**
 * Restores a deleted game, and returns it. It is as public as its owner left it, unless the operator hides it. Throws `not_found` if it was
 * removed.
 */
export async function restoreDeletedGame(
  platform: Platform,
  caller: Caller,
  gameId: string,
): Promise<GamesTable> {
  return await platform.db.transaction().execute(async (trx) => {
    const { slug } = await lockOwnDeletedGame(platform, trx, caller, gameId);
    const now = platform.now();
    await trx.updateTable('games').set({ deleted_at: null }).where('id', '=', gameId).execute();
    await writeAudit(trx, {
      ...{ at: now, actor: actorOf(caller), action: 'project.restored', subject: gameId },
      detail: slug,
    });
    return await settleStatus(trx, gameId, now);
  });
}

/** Removes a deleted game with all its files. Its owner keeps the slug. */
export async function removeDeletedGame(
  platform: Platform,
  caller: Caller,
  gameId: string,
): Promise<void> {
  await platform.db.transaction().execute(async (trx) => {
    const game = await lockOwnDeletedGame(platform, trx, caller, gameId);
    await removeGame(trx, game, { actor: actorOf(caller), now: platform.now() });
  });
  await waitForRemoval(platform.upkeep.removeFiles(gameId));
}
