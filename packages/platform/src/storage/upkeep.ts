// Background work: scheduled removals, kept files that have expired, and leftovers of crashes.
import { newId } from '../database/new-id.ts';
import type { RemovalsTable, Trx } from '../database/schema.ts';
import { isOwnerAlive } from '../files/spool.ts';
import type { Platform } from '../platform.ts';
import { CLAIM_STALE_MS, claimGame } from './claim-game.ts';
import { collectUnused, collectUnusedMedia } from './collect-unused.ts';

const EVERY_MS = 20_000;
const UPKEEP = { purpose: 'upkeep' } as const;

/** Schedules the removal of files, in the transaction that makes them unused. */
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

/** Does all work that is due. Called at the start, after a deletion, and regularly. */
export async function runUpkeep(platform: Platform): Promise<void> {
  await recoverClaims(platform);
  await dropExpired(platform);
  const due = await platform.db.selectFrom('removals').selectAll().orderBy('id').execute();
  for (const removal of due) await removeFiles(platform, removal);
}

/** Runs the upkeep regularly until it is disposed of. Disposing waits for the current run. */
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

/** Clears claims of owners that have ended, and removes files that they did not commit. */
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

/** Removes the folder of a project that no longer exists: it was deleted while a publish crashed. */
async function removeOrphanFolder(platform: Platform, gameId: string): Promise<void> {
  const game = await platform.db
    .selectFrom('games')
    .select('id')
    .where('id', '=', gameId)
    .executeTakeFirst();
  if (game === undefined) await platform.files.removeFolder(gameId);
}

/** Deletes the rows of kept files that have expired. Their releases still exist, so no file is removed from the disk. */
async function dropExpired({ db, database, now }: Platform): Promise<void> {
  const at = now();
  if (database.engine === 'sqlite') {
    await db.deleteFrom('kept_files').where('until', '<=', at).execute();
    return;
  }
  // Skips rows that a publish has locked, to avoid a deadlock. The next run deletes them.
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

/** Removes a folder. If a publish adds a file meanwhile, the rest is removed after the publish has ended. */
async function removeFolderNow(platform: Platform, gameId: string): Promise<void> {
  try {
    await platform.files.removeFolder(gameId);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error;
  }
}

/** Does one scheduled removal. If a publish or update is writing, the removal stays scheduled. */
async function removeFiles(platform: Platform, removal: RemovalsTable): Promise<void> {
  if (removal.kind === 'project') await removeFolderNow(platform, removal.game_id);
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
