// Who may write files of a project: one publish and one store update at a time, over all processes.
import type { Platform } from '../platform.ts';

const BEAT_EVERY_MS = 10_000;
/** After so long without a beat a claim's owner is taken for dead. */
export const CLAIM_STALE_MS = 60_000;

export type ClaimKind = 'publish' | 'media';

/** A claim that is held until it is disposed of. `tookOver` is true where a dead owner's claim was taken. */
export type Claim = AsyncDisposable & { readonly tookOver: boolean };

/** Claims the right; null where somebody else has it. */
export async function claimGame(
  platform: Platform,
  gameId: string,
  kind: ClaimKind,
): Promise<Claim | null> {
  const { db, spool } = platform;
  const inserted = await db
    .insertInto('claims')
    .values({ game_id: gameId, kind, owner: spool.owner, beat_at: Date.now() })
    .onConflict((conflict) => conflict.columns(['game_id', 'kind']).doNothing())
    .executeTakeFirst();
  const tookOver = inserted.numInsertedOrUpdatedRows !== 1n;
  if (tookOver && !(await takeOver(platform, gameId, kind))) return null;
  const timer = setInterval(() => {
    beat(platform, gameId, kind).catch(() => {});
  }, BEAT_EVERY_MS);
  timer.unref();
  return {
    tookOver,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await db
        .deleteFrom('claims')
        .where('game_id', '=', gameId)
        .where('kind', '=', kind)
        .where('owner', '=', spool.owner)
        .execute();
    },
  };
}

async function takeOver(platform: Platform, gameId: string, kind: ClaimKind): Promise<boolean> {
  const taken = await platform.db
    .updateTable('claims')
    .set({ owner: platform.spool.owner, beat_at: Date.now() })
    .where('game_id', '=', gameId)
    .where('kind', '=', kind)
    .where('beat_at', '<', Date.now() - CLAIM_STALE_MS)
    .executeTakeFirst();
  return taken.numUpdatedRows === 1n;
}

async function beat(platform: Platform, gameId: string, kind: ClaimKind): Promise<void> {
  await platform.db
    .updateTable('claims')
    .set({ beat_at: Date.now() })
    .where('game_id', '=', gameId)
    .where('kind', '=', kind)
    .where('owner', '=', platform.spool.owner)
    .execute();
}
