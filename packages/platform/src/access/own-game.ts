// Which projects a caller may use: their own, and with a limited token only those of the token.
import { ApiError } from '@svc/serve';
import type { GamesTable, Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { Access, Caller } from './caller.ts';
import { confirmCaller } from './confirm-caller.ts';

/** Returns the caller's game. Throws `not_found`, `not_owner` or `project_not_in_token`. */
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
 * Checks the caller again and returns their game, in a transaction that writes. Locks the game until the transaction ends.
 * Throws as `findOwnGame` and `confirmCaller`.
 */
export async function lockOwnGame(
  access: Pick<Access, 'now'>,
  trx: Trx,
  caller: Caller,
  id: string,
): Promise<GamesTable> {
  const confirmed = await confirmCaller(access, trx, caller);
  const game = await lockGame(trx, id);
  if (game === undefined) throw failure('not_found', 'Cannot find this project');
  checkOwner(confirmed, game);
  return game;
}

/** Throws `project_not_in_token` for a token that is limited to projects: a new one is not among them. */
export function checkMayCreate(caller: Caller): void {
  if (caller.kind === 'pat' && caller.token.projects !== null) {
    throw failure(
      'project_not_in_token',
      'Cannot create a project: the token is limited to other projects',
    );
  }
}

function checkOwner(caller: Caller, game: GamesTable): void {
  if (game.developer_uid !== caller.user.uid) {
    throw failure('not_owner', 'Cannot use this project: it belongs to another developer');
  }
  const only = caller.kind === 'pat' ? caller.token.projects : null;
  if (only !== null && !only.includes(game.id)) {
    throw failure(
      'project_not_in_token',
      'Cannot use this project: the token is limited to other projects',
    );
  }
}

/** Returns the game and locks it until the transaction ends. Undefined if there is none. */
export function lockGame(trx: Trx, id: string): Promise<GamesTable | undefined> {
  // An update without a change locks the row on both engines. SQLite has no `for update`.
  return trx
    .updateTable('games')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Runs the work. If it fails and the project no longer exists, throws `not_found` instead of the error. */
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
    throw failure('not_found', 'Cannot do this: the project was deleted during the request');
  }
}
