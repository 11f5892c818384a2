// The rows of committed attempts whose files are no longer used. An attempt stays `committed` as long as rows refer to files
// in its place, or its files are still to be removed. So the number of these rows is bounded by that of used files and removals.
import { databaseNow } from '../database/database-clock.ts';
import type { Db, Trx } from '../database/schema.ts';
import type { Platform } from '../platform.ts';

type Databases = Pick<Platform, 'db' | 'database'>;

/**
 * Marks committed attempts as `unused`. No row may refer to their places, and the files must have been removed. The rows stay
 * for an hour, because the outcome of a commit may still be looked up. Then the upkeep removes them, and the places once more.
 */
export async function setUnused(
  { database }: Databases,
  db: Db | Trx,
  places: readonly string[],
): Promise<void> {
  for (const place of places) {
    await db
      .updateTable('attempts')
      .set({ state: 'unused', beat_at: databaseNow(database.engine) })
      .where('id', '=', place)
      .where('state', '=', 'committed')
      .execute();
  }
}

/**
 * Ends the scheduled removal of replaced media, whose files have been removed, and marks the updates of the page of which no
 * medium is left. Does not mark them while another removal is scheduled for the project: then files may be left, and the end
 * of that removal marks them.
 */
export async function endMediaRemoval(
  platform: Databases,
  gameId: string,
  removalId: string,
): Promise<void> {
  await platform.db.transaction().execute(async (trx) => {
    // Locks the project: no update of the page is committed meanwhile, and of two removals the second sees the end of the first.
    await trx
      .updateTable('games')
      .set((eb) => ({ content_bytes: eb.ref('content_bytes') }))
      .where('id', '=', gameId)
      .execute();
    await trx.deleteFrom('removals').where('id', '=', removalId).execute();
    const other = await trx
      .selectFrom('removals')
      .select('id')
      .where('game_id', '=', gameId)
      .executeTakeFirst();
    if (other === undefined) await setUnused(platform, trx, await placesWithoutMedia(trx, gameId));
  });
}

/** The places of committed updates of the page of which no medium is left. */
async function placesWithoutMedia(trx: Trx, gameId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('attempts')
    .select('id')
    .where('game_id', '=', gameId)
    .where('kind', '=', 'media')
    .where('state', '=', 'committed')
    .execute();
  const media = await trx
    .selectFrom('media')
    .select('place')
    .where('game_id', '=', gameId)
    .execute();
  const used = new Set(media.map(({ place }) => place));
  return rows.map(({ id }) => id).filter((id) => !used.has(id));
}
