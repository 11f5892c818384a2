// Which sessions have ended: those of a user until a time, and those that an identity provider has ended by their id.
import type { Db, Trx, UsersTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { hashSecret } from './hash-secret.ts';
import type { Identity } from './verify-id-token.ts';

/**
 * Returns the time until which the sessions of a user have ended, after they are ended until another time. It is never earlier than
 * before, so that a clock that is behind revives no session.
 */
export function laterEnd(
  { sessions_ended_at }: Pick<UsersTable, 'sessions_ended_at'>,
  at: number,
): number {
  return Math.max(sessions_ended_at ?? at, at);
}

/** Returns the hash by which `ended_sessions` has a session of a provider. */
export function hashSession({ issuerKey, sid }: { issuerKey: string; sid: string }): string {
  return hashSecret(JSON.stringify(['session', issuerKey, sid]));
}

/** Throws `session_ended` if the provider has ended the session of the ID token, also if the token was issued after that. */
export async function checkNotEndedByProvider(
  db: Db | Trx,
  { issuerKey, sid }: Pick<Identity, 'issuerKey' | 'sid'>,
): Promise<void> {
  if (sid === null) return;
  const ended = await db
    .selectFrom('ended_sessions')
    .select('hash')
    .where('hash', '=', hashSession({ issuerKey, sid }))
    .executeTakeFirst();
  if (ended === undefined) return;
  throw failure('session_ended', 'The identity provider has ended your session. Sign in again');
}
