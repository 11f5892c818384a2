// Takes a game, or one release of it, down, and restores it.
import { writeAudit } from '../access/audit.ts';
import { lockAnyGame } from '../access/own-game.ts';
import type { GamesTable, Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { writeNotice } from '../notices/write-notice.ts';
import { settleStatus } from '../projects/game-status.ts';
import { type Admin, actOnGame } from './act.ts';

/** A game, or the release of it that has this version. */
type Target = { readonly gameId: string; readonly version: string | null };

/**
 * Takes a game or a release down. If it is down already, changes the reason. Players cannot get it any more, and the owner cannot make it
 * live. Returns the changed game. Throws `not_found`.
 */
export async function takeDown(
  admin: Admin,
  target: Target,
  reason: string | null,
): Promise<GamesTable> {
  const { gameId, version } = target;
  return await actOnGame(admin, async (trx, now) => {
    const before = await findDown(trx, target);
    await setDown(trx, target, {
      taken_down_at: before.taken_down_at ?? now,
      taken_down_reason: reason,
    });
    await writeAudit(trx, {
      ...{ at: now, actor: admin.actor, subject: gameId },
      ...(version === null
        ? { action: 'game.taken_down', ...(reason === null ? {} : { detail: reason }) }
        : {
            action: 'release.taken_down',
            detail: reason === null ? version : `${version}: ${reason}`,
          }),
    });
    const wasDown = before.taken_down_at !== null && before.taken_down_reason === reason;
    if (!wasDown) await notifyOwner(trx, before.game, { target, kind: 'taken_down', now, reason });
    return await settleStatus(trx, gameId, now);
  });
}

/** Restores a game or a release. Does nothing if it is not taken down. Returns the changed game. Throws `not_found`. */
export async function restoreGame(admin: Admin, target: Target): Promise<GamesTable> {
  const { gameId, version } = target;
  return await actOnGame(admin, async (trx, now) => {
    const before = await findDown(trx, target);
    if (before.taken_down_at === null) return before.game;
    await setDown(trx, target, { taken_down_at: null, taken_down_reason: null });
    await writeAudit(trx, {
      ...{ at: now, actor: admin.actor, subject: gameId },
      ...(version === null
        ? { action: 'game.restored' }
        : { action: 'release.restored', detail: version }),
    });
    await notifyOwner(trx, before.game, { target, kind: 'restored', now, reason: null });
    return await settleStatus(trx, gameId, now);
  });
}

type Change = {
  readonly target: Target;
  readonly kind: 'taken_down' | 'restored';
  readonly now: number;
  readonly reason: string | null;
};

function notifyOwner(
  trx: Trx,
  game: GamesTable,
  { target: { version }, kind, now, reason }: Change,
): Promise<void> {
  const what = version === null ? 'game' : 'release';
  return writeNotice(trx, {
    ...{ uid: game.developer_uid, at: now, kind: `${what}_${kind}` as const },
    ...{ game, version, detail: reason },
  });
}

/** Locks the game, and returns it and whether the target is taken down. */
async function findDown(
  trx: Trx,
  { gameId, version }: Target,
): Promise<Down & { readonly game: GamesTable }> {
  const game = await lockAnyGame(trx, gameId);
  if (game === undefined) throw failure('not_found', 'Cannot find this game');
  const { taken_down_at, taken_down_reason } = game;
  if (version === null) return { game, taken_down_at, taken_down_reason };
  const release = await trx
    .selectFrom('releases')
    .select(['taken_down_at', 'taken_down_reason'])
    .where('game_id', '=', gameId)
    .where('version', '=', version)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (release === undefined) throw failure('not_found', 'Cannot find this release');
  return { game, ...release };
}

type Down = Pick<GamesTable, 'taken_down_at' | 'taken_down_reason'>;

async function setDown(trx: Trx, { gameId, version }: Target, down: Down): Promise<void> {
  if (version === null) {
    await trx.updateTable('games').set(down).where('id', '=', gameId).execute();
    return;
  }
  await trx
    .updateTable('releases')
    .set(down)
    .where('game_id', '=', gameId)
    .where('version', '=', version)
    .execute();
}
