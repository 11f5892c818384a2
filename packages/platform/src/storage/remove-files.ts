// The scheduled removals of a project's files.
import { isErrno } from '../files/storage-error.ts';
import { collectUnused, type StoredParts } from './collect-unused.ts';
import { areRemovalsHeld } from './removal-hold.ts';

/** Does the scheduled removals of a project. They stay scheduled if they must be repeated, and while a backup holds the files. */
export async function doRemovals(platform: StoredParts, gameId: string): Promise<void> {
  const { db } = platform;
  const due = await db
    .selectFrom('removals')
    .select(['id', 'kind'])
    .where('game_id', '=', gameId)
    .execute();
  // After the query: the snapshot of a backup that begins later has none of what is removed.
  if (due.length === 0 || (await areRemovalsHeld(platform))) return;
  // One work does all removals of a kind that were scheduled before.
  for (const kind of new Set(due.map((row) => row.kind))) {
    const remove = kind === 'project' ? removeProject : collectUnused;
    if (!(await remove(platform, gameId))) continue;
    for (const { id } of due.filter((row) => row.kind === kind)) {
      await db.deleteFrom('removals').where('id', '=', id).execute();
    }
  }
}

/** Removes all files of a deleted project. Returns false if an attempt is still open, which may store more. */
async function removeProject({ db, files }: StoredParts, gameId: string): Promise<boolean> {
  const open = await db
    .selectFrom('attempts')
    .select('id')
    .where('game_id', '=', gameId)
    .where('state', '=', 'open')
    .executeTakeFirst();
  try {
    await files.removeFolder(gameId);
  } catch (error) {
    // A publish adds files meanwhile.
    if (!isErrno(error, 'ENOTEMPTY')) throw error;
    return false;
  }
  if (open !== undefined) return false;
  await db
    .deleteFrom('attempts')
    .where('game_id', '=', gameId)
    .where('state', '=', 'committed')
    .execute();
  return true;
}
