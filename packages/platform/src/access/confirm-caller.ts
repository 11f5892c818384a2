// Checks a caller once more where something is written: much may have happened since the request arrived.
import type { TokensTable, Trx, UsersTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import {
  type Access,
  type Caller,
  checkRequirement,
  checkToken,
  readTokenRow,
  unknownCredential,
} from './caller.ts';

/**
 * The caller as the database now knows them, in the transaction that writes. Until it ends, nobody revokes the token or
 * changes the role. Throws the 401 or 403 that a new request would get. All transactions lock in one order: user, token,
 * game.
 */
export async function confirmCaller(
  access: Pick<Access, 'now'>,
  trx: Trx,
  caller: Caller,
): Promise<Caller> {
  const user = await lockUser(trx, caller.user.uid);
  if (caller.kind === 'session') {
    // ID tokens last minutes, uploads up to half an hour: an upload may outlast the ID token that it came with.
    if (caller.required.auth === 'session') checkSession(caller.endsAt, access.now());
    return confirm({ ...caller, user });
  }
  const token = await lockToken(trx, caller.token.id);
  checkToken(token, access.now());
  return confirm({ ...caller, user, token: readTokenRow(token) });
}

function confirm(caller: Caller): Caller {
  checkRequirement(caller);
  return caller;
}

function checkSession(endsAt: number, now: number): void {
  if (now < endsAt) return;
  throw failure('unauthenticated', 'Cannot accept the ID token: it has expired. Sign in again');
}

// A change that changes nothing locks the row on both engines; SQLite knows no `for update`.

function lockUser(trx: Trx, uid: string): Promise<UsersTable> {
  return trx
    .updateTable('users')
    .set((eb) => ({ role: eb.ref('role') }))
    .where('uid', '=', uid)
    .returningAll()
    .executeTakeFirstOrThrow(unknownCredential);
}

function lockToken(trx: Trx, id: string): Promise<TokensTable> {
  return trx
    .updateTable('tokens')
    .set((eb) => ({ revoked_at: eb.ref('revoked_at') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow(unknownCredential);
}
