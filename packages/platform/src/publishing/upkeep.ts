// What is done beside the requests: removals that were written down, files whose days are over, and what a crash left.
import { newId } from '../database/new-id.ts';
import type { RemovalsTable, Trx } from '../database/schema.ts';
import { isOwnerAlive } from '../files/spool.ts';
import type { Platform } from '../platform.ts';
import { CLAIM_STALE_MS, claimGame } from './claim-game.ts';
import { collectUnused, collectUnusedMedia } from './collect-unused.ts';

const EVERY_MS = 20_000;

/** Writes down, in the transaction that makes it true, that files are to be removed. */
export async function writeRemoval(
  trx: Trx,
  gameId: string,
  kind: RemovalsTable['kind'],
): Promise<void> {
  await trx
    .insertInto('removals')
    .values({ id: newId(), game_id: gameId, kind, created_at: Date.now() })
    .execute();
}

/** Does everything that is due, once. Meant to be called at the start, after a removal, and now and then. */
export async function runUpkeep(platform: Platform): Promise<void> {
  await recoverClaims(platform);
  await writeDownExpired(platform);
  const due = await platform.db.selectFrom('removals').selectAll().orderBy('id').execute();
  for (const removal of due) await removeFiles(platform, removal);
}

/** Runs the upkeep now and then until it is disposed of, which waits for a run that is under way. */
export function startUpkeep(platform: Platform): AsyncDisposable {
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = runUpkeep(platform).catch((error: unknown) => {
      platform.log(`internal: upkeep: ${error instanceof Error ? error.stack : String(error)}`);
    });
  }, EVERY_MS);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
    },
  };
}

/** Clears claims whose owner is gone, with the files it had brought and not committed. */
async function recoverClaims(platform: Platform): Promise<void> {
  const { db, spool } = platform;
  const claims = await db.selectFrom('claims').selectAll().execute();
  for (const claim of claims) {
    const isStale = claim.beat_at < Date.now() - CLAIM_STALE_MS;
    if (claim.owner === spool.owner || (isOwnerAlive(claim.owner) && !isStale)) continue;
    const taken = await db
      .updateTable('claims')
      .set({ owner: spool.owner, beat_at: Date.now() })
      .where('game_id', '=', claim.game_id)
      .where('kind', '=', claim.kind)
      .where('owner', '=', claim.owner)
      .executeTakeFirst();
    if (taken.numUpdatedRows !== 1n) continue;
    if (claim.kind === 'publish') await collectUnused(platform, claim.game_id);
    else await collectUnusedMedia(platform, claim.game_id);
    await removeOrphanFolder(platform, claim.game_id);
    await db
      .deleteFrom('claims')
      .where('game_id', '=', claim.game_id)
      .where('kind', '=', claim.kind)
      .where('owner', '=', spool.owner)
      .execute();
  }
}

/** A project that was deleted while a publish of it died has nothing left to keep. */
async function removeOrphanFolder(platform: Platform, gameId: string): Promise<void> {
  const game = await platform.db
    .selectFrom('games')
    .select('id')
    .where('id', '=', gameId)
    .executeTakeFirst();
  if (game === undefined) await platform.files.removeFolder(gameId);
}

/** Files with hashed names whose days of grace are over. */
async function writeDownExpired(platform: Platform): Promise<void> {
  const { db } = platform;
  const expired = await db
    .selectFrom('kept_files')
    .select('game_id')
    .distinct()
    .where('until', '<=', platform.now())
    .execute();
  for (const { game_id } of expired) {
    await db.transaction().execute(async (trx) => {
      await trx
        .deleteFrom('kept_files')
        .where('game_id', '=', game_id)
        .where('until', '<=', platform.now())
        .execute();
      await writeRemoval(trx, game_id, 'unused');
    });
  }
}

/** Removes a folder, but for what a publish puts into it at this moment: that goes once the publish has ended. */
async function removeWhatStands(platform: Platform, gameId: string): Promise<void> {
  try {
    await platform.files.removeFolder(gameId);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error;
  }
}

/** Removes what one row tells, unless a publish is writing there: then it stays written down. */
async function removeFiles(platform: Platform, removal: RemovalsTable): Promise<void> {
  if (removal.kind === 'project') await removeWhatStands(platform, removal.game_id);
  await using publish = await claimGame(platform, removal.game_id, 'publish');
  if (publish === null) return;
  await using media = await claimGame(platform, removal.game_id, 'media');
  if (media === null) return;
  if (removal.kind === 'project') await platform.files.removeFolder(removal.game_id);
  else {
    await collectUnused(platform, removal.game_id);
    await collectUnusedMedia(platform, removal.game_id);
  }
  await platform.db.deleteFrom('removals').where('id', '=', removal.id).execute();
}
