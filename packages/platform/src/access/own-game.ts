// Which projects a caller may use: their own, and with a limited token only those of the token.
import { ApiError } from '@svc/serve';
import type { Db, GamesTable, Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { Access, Caller } from './caller.ts';
import { confirmCaller } from './confirm-caller.ts';

/** Returns the caller's game. Throws `not_found`, also for a deleted one, `not_owner` or `project_not_in_token`. */
export async function findOwnGame(
  { db }: Pick<Access, 'db'>,
  caller: Caller,
  id: string,
): Promise<GamesTable> {
  const game = await findGame(db, id);
  return checkOwner(caller, game?.deleted_at === null ? game : undefined);
}

/** As `findOwnGame`, for a game that its owner has deleted and can restore. */
export async function findOwnDeletedGame(
  { db }: Pick<Access, 'db'>,
  caller: Caller,
  id: string,
): Promise<GamesTable> {
  const game = await findGame(db, id);
  return checkOwner(caller, game?.deleted_at === null ? undefined : game);
}

function findGame(db: Db, id: string): Promise<GamesTable | undefined> {
  return db.selectFrom('games').selectAll().where('id', '=', id).executeTakeFirst();
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
  return checkOwner(confirmed, await lockGame(trx, id));
}

/** As `lockOwnGame`, for a game that its owner has deleted and can restore. */
export async function lockOwnDeletedGame(
  access: Pick<Access, 'now'>,
  trx: Trx,
  caller: Caller,
  id: string,
): Promise<GamesTable> {
  const confirmed = await confirmCaller(access, trx, caller);
  const game = await lockAnyGame(trx, id);
  return checkOwner(confirmed, game?.deleted_at === null ? undefined : game);
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

/** Returns the game if it exists and the caller may use it. */
function checkOwner(caller: Caller, game: GamesTable | undefined): GamesTable {
  if (game === undefined) throw failure('not_found', 'Cannot find this project');
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
  return game;
}

/** Returns the game and locks it until the transaction ends. Undefined if there is none, or if its owner has deleted it. */
export async function lockGame(trx: Trx, id: string): Promise<GamesTable | undefined> {
  const game = await lockAnyGame(trx, id);
  return game?.deleted_at === null ? game : undefined;
}

/** As `lockGame`, also for a game that its owner has deleted and can restore. */
export function lockAnyGame(trx: Trx, id: string): Promise<GamesTable | undefined> {
  // An update without a change locks the row on both engines. SQLite has no `for update`.
  return trx
    .updateTable('games')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Returns the ids of all games of a user, sorted. Deleted ones that can be restored are among them. */
export async function findGameIds(db: Db | Trx, uid: string): Promise<string[]> {
  const owned = await db
    .selectFrom('games')
    .select('id')
    .where('developer_uid', '=', uid)
    .orderBy('id')
    .execute();
  return owned.map(({ id }) => id);
}

/** Runs the work. If it fails and the project was deleted, throws `not_found` instead of the error. */
export async function whileGameLasts<Result>(
  { db }: Pick<Access, 'db'>,
  id: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const game = await findGame(db, id);
    if (game?.deleted_at === null) throw error;
    throw failure('not_found', 'Cannot do this: the project was deleted during the request');
  }
}
