// Checks a caller again in the transaction that writes. Since the request arrived, a token may have been revoked.
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
import { checkNotEndedByProvider } from './ended-sessions.ts';

/**
 * Returns the caller with the current rows of the database, and locks these rows until the transaction ends. Throws the same
 * 401 or 403 as for a new request. All transactions lock in the order user, token, game.
 */
export async function confirmCaller(
  access: Pick<Access, 'now'>,
  trx: Trx,
  caller: Caller,
): Promise<Caller> {
  const user = await lockUser(trx, caller.user.uid);
  if (caller.kind === 'session') {
    await checkNotEndedByProvider(trx, { issuerKey: caller.user.issuer, sid: caller.sid });
    // ID tokens are valid for minutes, uploads take up to 30 minutes: an upload may outlast its ID token.
    if (caller.required.auth === 'session') checkSession(caller.endsAt, access.now());
    return confirm({ ...caller, user });
  }
  const token = await lockToken(trx, caller.token.id);
  // So may a token that is valid for minutes. That it was revoked counts.
  const { revoked_at, publisher_id } = token;
  const expires_at = publisher_id === null ? token.expires_at : null;
  checkToken({ revoked_at, expires_at }, access.now());
  return confirm({ ...caller, user, token: readTokenRow(token) });
}

function confirm(caller: Caller): Caller {
  checkRequirement(caller);
  return caller;
}

function checkSession(endsAt: number, now: number): void {
  if (now < endsAt) return;
  throw failure('unauthenticated', 'The ID token has expired. Sign in again');
}

// An update without a change locks the row on both engines. SQLite has no `for update`.

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
