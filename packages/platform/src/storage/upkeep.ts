// What is done beside the requests: removals that were written down, files whose days are over, and what a crash left.
import { newId } from '../database/new-id.ts';
import type { RemovalsTable, Trx } from '../database/schema.ts';
import { isOwnerAlive } from '../files/spool.ts';
import type { Platform } from '../platform.ts';
import { CLAIM_STALE_MS, claimGame } from './claim-game.ts';
import { collectUnused, collectUnusedMedia } from './collect-unused.ts';

const EVERY_MS = 20_000;
const UPKEEP = { purpose: 'upkeep' } as const;

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
  await dropExpired(platform);
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
  const claims = await platform.db.selectFrom('claims').selectAll().execute();
  for (const { game_id, kind, owner, beat_at } of claims) {
    if (isOwnerAlive(owner) && beat_at >= Date.now() - CLAIM_STALE_MS) continue;
    const deadOwner = isOwnerAlive(owner) ? null : owner;
    await using claim = await claimGame(platform, game_id, kind, { purpose: 'upkeep', deadOwner });
    if (claim === null) continue;
    if (kind === 'publish') await collectUnused(platform, game_id);
    else await collectUnusedMedia(platform, game_id);
    await removeOrphanFolder(platform, game_id);
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

/** Files with hashed names whose days of grace are over. Their releases still hold them, so nothing leaves the disk. */
async function dropExpired({ db, database, now }: Platform): Promise<void> {
  const at = now();
  if (database.engine === 'sqlite') {
    await db.deleteFrom('kept_files').where('until', '<=', at).execute();
    return;
  }
  // Rows that a publish holds are left to the next run: two that waited for each other's rows would never end.
  await db
    .deleteFrom('kept_files')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('game_id', 'path'),
        'in',
        selectFrom('kept_files')
          .select(['game_id', 'path'])
          .where('until', '<=', at)
          .forUpdate()
          .skipLocked()
          .$asTuple('game_id', 'path'),
      ),
    )
    .execute();
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
  await using publish = await claimGame(platform, removal.game_id, 'publish', UPKEEP);
  if (publish === null) return;
  await using media = await claimGame(platform, removal.game_id, 'media', UPKEEP);
  if (media === null) return;
  if (removal.kind === 'project') await platform.files.removeFolder(removal.game_id);
  else {
    await collectUnused(platform, removal.game_id);
    await collectUnusedMedia(platform, removal.game_id);
  }
  await platform.db.deleteFrom('removals').where('id', '=', removal.id).execute();
}
