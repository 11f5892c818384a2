// Who may write files of a project: one publish and one store update at a time, over all processes.
import { setTimeout } from 'node:timers/promises';
import { failure } from '../failure.ts';
import type { Platform } from '../platform.ts';

const BEAT_EVERY_MS = 10_000;
/** After so long without a beat a claim's owner is taken for dead. */
export const CLAIM_STALE_MS = 60_000;

export type ClaimKind = 'publish' | 'media';

/** A claim that is held until it is disposed of. `tookOver` is true where a dead owner's claim was taken. */
export type Claim = AsyncDisposable & { readonly tookOver: boolean };

/** What a claim is for: what a person asked for, or the removal of files. */
type Purpose = 'work' | 'upkeep';

/** Claims that this process holds. A row with our name that is not among them could not be deleted: nobody has it. */
const held = new Map<string, Purpose>();

const UPKEEP_TRIES = 200;
const UPKEEP_WAIT_MS = 50;

const UPDATE_TRIES = 60;
const UPDATE_WAIT_MS = 250;

/**
 * Claims the right to publish. Throws `publish_in_progress` where another publish has it; the upkeep is none, so it is
 * waited for, and `busy` where that takes too long.
 */
export async function claimForPublish(platform: Platform, gameId: string): Promise<Claim> {
  for (let tries = 0; tries < UPKEEP_TRIES; tries++) {
    // Asked in the same moment in which the claim is: so it is the reason where that fails.
    const isUpkeep = held.get(keyOf(platform, gameId, 'publish')) === 'upkeep';
    const claim = await claimGame(platform, gameId, 'publish');
    if (claim !== null) return claim;
    if (!isUpkeep) {
      throw failure(
        'publish_in_progress',
        'Cannot publish: another publish of this project is running. Wait for it to end, or try again in a moment',
      );
    }
    await setTimeout(UPKEEP_WAIT_MS);
  }
  throw failure('busy', 'Cannot publish now: files of the project are being removed');
}

/** Claims the right to update the store page. Waits for another update of it; throws `busy` where that takes too long. */
export async function claimForUpdate(platform: Platform, gameId: string): Promise<Claim> {
  for (let tries = 0; tries < UPDATE_TRIES; tries++) {
    const claim = await claimGame(platform, gameId, 'media');
    if (claim !== null) return claim;
    await setTimeout(UPDATE_WAIT_MS);
  }
  throw failure('busy', 'Cannot update the store page: another update of it is running');
}

/** Claims the right; null where somebody else has it. `deadOwner` is known to have ended, so what it has is free. */
export async function claimGame(
  platform: Platform,
  gameId: string,
  kind: ClaimKind,
  { purpose = 'work', deadOwner = null }: { purpose?: Purpose; deadOwner?: string | null } = {},
): Promise<Claim | null> {
  const key = keyOf(platform, gameId, kind);
  if (held.has(key)) return null;
  held.set(key, purpose);
  let taken: 'free' | 'left' | null = null;
  try {
    taken = await takeRow(platform, gameId, kind, deadOwner ?? platform.spool.owner);
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

function keyOf({ spool }: Platform, gameId: string, kind: ClaimKind): string {
  return `${spool.owner} ${gameId} ${kind}`;
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
