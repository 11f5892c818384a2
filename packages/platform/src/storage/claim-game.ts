// Claims: at most one publish and one store page update of a project write files at a time, across all processes.
import { setTimeout } from 'node:timers/promises';
import { failure } from '../failure.ts';
import type { Platform } from '../platform.ts';

const BEAT_EVERY_MS = 10_000;
/** A claim without a heartbeat for this time is considered abandoned. */
export const CLAIM_STALE_MS = 60_000;

type ClaimKind = 'publish' | 'media';

/** A claim that is held until it is disposed of. `tookOver` is true if it was taken from an owner that has ended. */
type Claim = AsyncDisposable & { readonly tookOver: boolean };

/** The purpose of a claim: a request of a user, or the removal of files. */
type Purpose = 'work' | 'upkeep';

/** The claims of this process. A row of this process that is not in the map is left over from a failed deletion. */
const held = new Map<string, Purpose>();

const UPKEEP_TRIES = 200;
const UPKEEP_WAIT_MS = 50;

const UPDATE_TRIES = 60;
const UPDATE_WAIT_MS = 250;

/**
 * Claims the right to publish. Throws `publish_in_progress` if another publish has it. If upkeep has it, waits for its end,
 * and throws `busy` if that takes too long.
 */
export async function claimForPublish(platform: Platform, gameId: string): Promise<Claim> {
  for (let tries = 0; tries < UPKEEP_TRIES; tries++) {
    // Read in the same tick as the claim is attempted, so it explains a failure.
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

/** Claims the right to update the store page. Waits for another update, and throws `busy` if that takes too long. */
export async function claimForUpdate(platform: Platform, gameId: string): Promise<Claim> {
  for (let tries = 0; tries < UPDATE_TRIES; tries++) {
    const claim = await claimGame(platform, gameId, 'media');
    if (claim !== null) return claim;
    await setTimeout(UPDATE_WAIT_MS);
  }
  throw failure('busy', 'Cannot update the store page: another update of it is running');
}

/** Claims the right. Returns null if another owner has it. A claim of `deadOwner`, which has ended, can be taken. */
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
      // On a full disk the row may remain. The work is complete, and the next claim takes the row over.
      await deleteRow(platform, gameId, kind).catch(() => {});
      held.delete(key);
    },
  };
}

function keyOf({ spool }: Platform, gameId: string, kind: ClaimKind): string {
  return `${spool.owner} ${gameId} ${kind}`;
}

/** Takes the row. Returns `free` if there was none, `left` if it was abandoned, null if its owner is at work. */
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
