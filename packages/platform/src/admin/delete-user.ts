// Deletes the account of a user for the operator.
import { eraseAccount } from '../accounts/delete-account.ts';
import type { GamesTable } from '../database/schema.ts';
import { type Admin, actOnUser } from './act.ts';

/**
 * Deletes the account with everything that belongs to it, also of a suspended user. Returns the deleted games. The upkeep of a running
 * server removes their files. Throws `not_found`.
 */
export async function deleteUser(admin: Admin, uid: string): Promise<readonly GamesTable[]> {
  return await actOnUser(admin, uid, (trx, user, now) =>
    eraseAccount(trx, user, { actor: admin.actor, now }),
  );
}
