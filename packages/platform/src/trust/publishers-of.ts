// Reads the publishers that a project trusts.
import type { Db, PublishersTable, Trx } from '../database/schema.ts';

/** Returns the publishers, the first added first. */
export function publishersOf(db: Db | Trx, gameId: string): Promise<PublishersTable[]> {
  return db
    .selectFrom('publishers')
    .selectAll()
    .where('game_id', '=', gameId)
    .orderBy('id')
    .execute();
}
