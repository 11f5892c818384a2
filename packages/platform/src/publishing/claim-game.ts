// Who may write files of a project: one publish and one store update at a time, over all processes.
import type { Platform } from '../platform.ts';

const BEAT_EVERY_MS = 10_000;
/** After so long without a beat a claim's owner is taken for dead. */
export const CLAIM_STALE_MS = 60_000;

export type ClaimKind = 'publish' | 'media';

/** A claim that is held until it is disposed of. `tookOver` is true where a dead owner's claim was taken. */
export type Claim = AsyncDisposable & { readonly tookOver: boolean };

/** Claims that this process holds. A row with our name that is not among them could not be deleted: nobody has it. */
const held = new Set<string>();

/** Claims the right; null where somebody else has it. `deadOwner` is known to have ended, so what it has is free. */
export async function claimGame(
  platform: Platform,
  gameId: string,
  kind: ClaimKind,
  deadOwner: string | null = null,
): Promise<Claim | null> {
  const { owner } = platform.spool;
  const key = `${owner} ${gameId} ${kind}`;
  if (held.has(key)) return null;
  held.add(key);
  let taken: 'free' | 'left' | null = null;
  try {
    taken = await takeRow(platform, gameId, kind, deadOwner ?? owner);
  } finally {
    if (taken === null) held.delete(key);
  }
  if (taken === null) return null;
  const timer = setInterval(() => {
    beat(platform, gameId, kind).catch(() => {});
  }, BEAT_EVERY_MS);
  timer.unref();
  return {
    tookOver: taken === 'left',
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      // A full disk may keep the row; what was done under the claim is done, and the next one takes it over.
      await deleteRow(platform, gameId, kind).catch(() => {});
      held.delete(key);
    },
  };
}

/** Whether there was no row, or one that its owner left; null where the owner is at work. */
async function takeRow(
  { db, spool }: Platform,
  gameId: string,
  kind: ClaimKind,
  freeOwner: string,
): Promise<'free' | 'left' | null> {
  const inserted = await db
    .insertInto('claims')
    .values({ game_id: gameId, kind, owner: spool.owner, beat_at: Date.now() })
    .onConflict((conflict) => conflict.columns(['game_id', 'kind']).doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows === 1n) return 'free';
  const taken = await db
    .updateTable('claims')
    .set({ owner: spool.owner, beat_at: Date.now() })
    .where('game_id', '=', gameId)
    .where('kind', '=', kind)
    .where(({ eb, or }) =>
      or([
        eb('owner', 'in', [spool.owner, freeOwner]),
        eb('beat_at', '<', Date.now() - CLAIM_STALE_MS),
      ]),
    )
    .executeTakeFirst();
  return taken.numUpdatedRows === 1n ? 'left' : null;
}

async function deleteRow({ db, spool }: Platform, gameId: string, kind: ClaimKind): Promise<void> {
  await db
    .deleteFrom('claims')
    .where('game_id', '=', gameId)
    .where('kind', '=', kind)
    .where('owner', '=', spool.owner)
    .execute();
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
