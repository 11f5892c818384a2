// Schedules the removal of files.
import { newId } from '../database/new-id.ts';
import type { RemovalsTable, Trx } from '../database/schema.ts';

/** Schedules the removal of files, in the transaction that makes them unused. Returns the id of the row. */
export async function writeRemoval(
  trx: Trx,
  gameId: string,
  kind: RemovalsTable['kind'],
): Promise<string> {
  const id = newId();
  await trx
    .insertInto('removals')
    .values({ id, game_id: gameId, kind, created_at: Date.now() })
    .execute();
  return id;
}
