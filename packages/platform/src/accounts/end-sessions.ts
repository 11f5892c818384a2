// Ends sessions: all of the caller, and those that an identity provider has ended.
import { actorOf, writeAudit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { confirmCaller } from '../access/confirm-caller.ts';
import { hashSession, laterEnd } from '../access/ended-sessions.ts';
import { hashSecret } from '../access/hash-secret.ts';
import type { ProviderLogout } from '../access/verify-logout-token.ts';
import type { Trx, UsersTable } from '../database/schema.ts';
import type { Platform } from '../platform.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Longer than a session of the store lasts without a sign-in. */
const KEPT_MS = 60 * DAY_MS;

/** Ends all sessions of the caller, who can sign in again. */
export async function endOwnSessions(platform: Platform, caller: Caller): Promise<void> {
  await platform.db.transaction().execute(async (trx) => {
    const confirmed = await confirmCaller(platform, trx, caller);
    const now = platform.now();
    // The clock of the provider may be ahead. The session of the call ends too.
    const at = confirmed.kind === 'session' ? Math.max(now, confirmed.issuedAt) : now;
    await endAllSessions(trx, confirmed.user, at);
    await writeAudit(trx, {
      ...{ at: now, actor: actorOf(confirmed) },
      ...{ action: 'user.sessions_ended', subject: confirmed.user.uid },
    });
  });
}

/**
 * Ends the sessions that the token names: one by its id, else all of the subject. A token that was sent before has no effect. The end of
 * one session is not in the audit trail, as no sign-in is.
 */
export async function endProviderSession(
  { db, now }: Pick<Platform, 'db' | 'now'>,
  logout: ProviderLogout,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (!(await spend(trx, logout))) return;
    const { issuerKey, sid, sub, issuedAt } = logout;
    // Waits for a change in progress by the user. Later ones see that the session has ended.
    const user = sub === null ? undefined : await lockUser(trx, issuerKey, sub);
    if (sid !== null) return await storeEnd(trx, hashSession({ issuerKey, sid }), now());
    if (user === undefined) return;
    // By the clock of the provider, as the times of ID tokens are.
    await endAllSessions(trx, user, issuedAt);
    await writeAudit(trx, {
      ...{ at: now(), actor: null, action: 'user.sessions_ended', subject: user.uid },
      detail: 'by the identity provider',
    });
  });
}

async function storeEnd(trx: Trx, hash: string, at: number): Promise<void> {
  await trx
    .insertInto('ended_sessions')
    .values({ hash, at, until: at + KEPT_MS })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute();
}

/** Stores that the token was used. Returns false if it was used before. */
async function spend(trx: Trx, { issuerKey, id, endsAt: until }: ProviderLogout): Promise<boolean> {
  const hash = hashSecret(JSON.stringify(['logout', issuerKey, id]));
  const { numInsertedOrUpdatedRows: count } = await trx
    .insertInto('used_id_tokens')
    .values({ hash, until })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .executeTakeFirst();
  return count === 1n;
}

// An update without a change locks the row on both engines. SQLite has no `for update`.
function lockUser(trx: Trx, issuerKey: string, sub: string): Promise<UsersTable | undefined> {
  return trx
    .updateTable('users')
    .set((eb) => ({ role: eb.ref('role') }))
    .where('issuer', '=', issuerKey)
    .where('sub', '=', sub)
    .returningAll()
    .executeTakeFirst();
}

/** Ends the sessions whose ID tokens were issued until the time. The user must be locked. */
async function endAllSessions(trx: Trx, user: UsersTable, at: number): Promise<void> {
  await trx
    .updateTable('users')
    .set({ sessions_ended_at: laterEnd(user, at) })
    .where('uid', '=', user.uid)
    .execute();
}
