// Counts what waits for a user: notices, and for administrators reports of games.
import type { Db, Trx } from '../database/schema.ts';

/** Returns how many notices the user has not read. */
export async function countUnread(db: Db, uid: string): Promise<number> {
  const { count } = await db
    .selectFrom('notices')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('uid', '=', uid)
    .where('read_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns how many reports are open: of a game, or of all. */
export async function countOpenReports(db: Db | Trx, gameId?: string): Promise<number> {
  let open = db
    .selectFrom('reports')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('resolved_at', 'is', null);
  if (gameId !== undefined) open = open.where('game_id', '=', gameId);
  const { count } = await open.executeTakeFirstOrThrow();
  return Number(count);
}
