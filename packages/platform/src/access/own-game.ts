// Finds a game for its owner: unknown is 404, somebody else's 403, and a token limited to other projects 403.
import { ApiError } from '@svc/serve';
import type { GamesTable, Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { Access, Caller } from './caller.ts';
import { confirmCaller } from './confirm-caller.ts';

/** The caller's game. Throws `not_found`, `not_owner` or `project_not_in_token`. */
export async function findOwnGame(
  { db }: Pick<Access, 'db'>,
  caller: Caller,
  id: string,
): Promise<GamesTable> {
  const game = await db.selectFrom('games').selectAll().where('id', '=', id).executeTakeFirst();
  if (game === undefined) throw failure('not_found', 'Cannot find this project');
  checkOwner(caller, game);
  return game;
}

/**
 * The caller's game in a transaction that writes, with the caller checked again. No other transaction changes the game
 * until this one ends. Throws as `findOwnGame`, and as `confirmCaller`.
 */
export async function lockOwnGame(
  access: Pick<Access, 'now'>,
  trx: Trx,
  caller: Caller,
  id: string,
): Promise<GamesTable> {
  const confirmed = await confirmCaller(access, trx, caller);
  const game = await lockGame(trx, id);
  checkOwner(confirmed, game);
  return game;
}

function checkOwner(caller: Caller, game: GamesTable): void {
  if (game.developer_uid !== caller.user.uid) {
    throw failure('not_owner', 'Cannot touch this project: it belongs to somebody else');
  }
  const only = caller.kind === 'pat' ? caller.token.projects : null;
  if (only !== null && !only.includes(game.id)) {
    throw failure('project_not_in_token', 'Cannot touch this project: the token is for others');
  }
}

async function lockGame(trx: Trx, id: string): Promise<GamesTable> {
  // A change that changes nothing locks the row on both engines; SQLite knows no `for update`.
  const game = await trx
    .updateTable('games')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (game === undefined) throw failure('not_found', 'Cannot find this project');
  return game;
}

/** Does the work. Where it breaks because the project was deleted meanwhile, throws `not_found`, whatever broke first. */
export async function whileGameLasts<Result>(
  { db }: Pick<Access, 'db'>,
  id: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const game = await db.selectFrom('games').select('id').where('id', '=', id).executeTakeFirst();
    if (game !== undefined) throw error;
    throw failure('not_found', 'Cannot do this: the project was deleted meanwhile');
  }
}
