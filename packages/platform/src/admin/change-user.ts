// What administrators do to users: roles, quotas, suspensions, sessions, tokens.
import type { EditUser } from '@svc/contracts/platform';
import { writeAudit } from '../access/audit.ts';
import { laterEnd } from '../access/ended-sessions.ts';
import { findGameIds, lockAnyGame } from '../access/own-game.ts';
import type { GamesTable, Trx, UsersTable } from '../database/schema.ts';
import { indexDeveloper } from '../database/search-index.ts';
import { failure } from '../failure.ts';
import { writeNotice } from '../notices/write-notice.ts';
import { settleStatus } from '../projects/game-status.ts';
import { type Admin, actOnUser } from './act.ts';

/** A changed user, and their games whose status changed. */
export type ChangedUser = { readonly user: UsersTable; readonly games: readonly GamesTable[] };

/**
 * Gives a user another role or other quotas. The user cannot change the role any more. Throws `not_found`, and `own_account` if
 * administrators change their own role.
 */
export async function editUser(admin: Admin, uid: string, edit: EditUser): Promise<UsersTable> {
  return await actOnUser(admin, uid, async (trx, before, now) => {
    const withRole = await changeRole(admin, trx, { user: before, now }, edit.role);
    return await changeQuota(admin, trx, { user: withRole, now }, edit.quota ?? {});
  });
}

type Edited = { readonly user: UsersTable; readonly now: number };

async function changeRole(
  admin: Admin,
  trx: Trx,
  { user, now }: Edited,
  role: EditUser['role'],
): Promise<UsersTable> {
  if (role === undefined || (role === user.role && user.role_chosen_at !== null)) return user;
  if (role !== user.role) checkOther(admin, user, 'change your own role');
  const changed = await setUser(trx, user.uid, { role, role_chosen_at: now });
  await indexDeveloper(trx, changed);
  await writeAudit(trx, {
    ...{ at: now, actor: admin.actor, action: 'user.role_changed', subject: user.uid },
    detail: role === user.role ? role : `${user.role} to ${role}`,
  });
  return changed;
}

async function changeQuota(
  admin: Admin,
  trx: Trx,
  { user, now }: Edited,
  { projects, project_bytes }: NonNullable<EditUser['quota']>,
): Promise<UsersTable> {
  const quota_projects = projects === undefined ? user.quota_projects : projects;
  const quota_project_bytes =
    project_bytes === undefined ? user.quota_project_bytes : project_bytes;
  const isSame =
    quota_projects === user.quota_projects && quota_project_bytes === user.quota_project_bytes;
  if (isSame) return user;
  const changed = await setUser(trx, user.uid, { quota_projects, quota_project_bytes });
  await writeAudit(trx, {
    ...{ at: now, actor: admin.actor, action: 'user.quota_changed', subject: user.uid },
    detail: `projects ${quota_projects ?? 'default'}, bytes of a project ${quota_project_bytes ?? 'default'}`,
  });
  return changed;
}

/**
 * Suspends a user: ends their sessions, rejects their credentials, hides their games and their public page. For a suspended user it only
 * changes the reason. Throws `not_found`, `own_account`.
 */
export async function suspendUser(
  admin: Admin,
  uid: string,
  reason: string | null,
): Promise<ChangedUser> {
  return await actOnUser(admin, uid, async (trx, before, now) => {
    checkOther(admin, before, 'suspend your own account');
    const user = await setUser(trx, uid, {
      suspended_at: before.suspended_at ?? now,
      suspended_reason: reason,
      sessions_ended_at: laterEnd(before, now),
    });
    await writeAudit(trx, {
      ...{ at: now, actor: admin.actor, action: 'user.suspended', subject: uid },
      ...(reason === null ? {} : { detail: reason }),
    });
    if (before.suspended_at === null || before.suspended_reason !== reason) {
      await writeNotice(trx, { uid, at: now, kind: 'account_suspended', detail: reason });
    }
    return await settleUser(trx, user, now);
  });
}

/** Lifts a suspension. The games are shown again, and tokens work that were not revoked. Does nothing for others. Throws `not_found`. */
export async function restoreUser(admin: Admin, uid: string): Promise<ChangedUser> {
  return await actOnUser(admin, uid, async (trx, before, now) => {
    if (before.suspended_at === null) return { user: before, games: [] };
    const user = await setUser(trx, uid, { suspended_at: null, suspended_reason: null });
    await writeAudit(trx, {
      ...{ at: now, actor: admin.actor, action: 'user.restored', subject: uid },
    });
    await writeNotice(trx, { uid, at: now, kind: 'account_restored' });
    return await settleUser(trx, user, now);
  });
}

/** Ends all sessions of a user, who can sign in again. Throws `not_found`. */
export async function endSessions(admin: Admin, uid: string): Promise<UsersTable> {
  return await actOnUser(admin, uid, async (trx, before, now) => {
    const user = await setUser(trx, uid, { sessions_ended_at: laterEnd(before, now) });
    await writeAudit(trx, {
      ...{ at: now, actor: admin.actor, action: 'user.sessions_ended', subject: uid },
    });
    return user;
  });
}

/**
 * Revokes the token of a user, or all that are valid, also those that CI runs have now. Returns how many it revoked. Throws `not_found` for
 * an unknown user or token.
 */
export async function revokeTokens(
  admin: Admin,
  uid: string,
  tokenId: string | null,
): Promise<number> {
  return await actOnUser(admin, uid, async (trx, _user, now) => {
    if (tokenId !== null) await checkToken(trx, uid, tokenId);
    let update = trx
      .updateTable('tokens')
      .set({ revoked_at: now })
      .where('uid', '=', uid)
      .where('revoked_at', 'is', null)
      .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));
    if (tokenId !== null) update = update.where('id', '=', tokenId);
    const revoked = await update.returning('id').execute();
    for (const { id } of revoked) {
      await writeAudit(trx, {
        ...{ at: now, actor: admin.actor, action: 'token.revoked', subject: id, detail: uid },
      });
    }
    if (revoked.length > 0) {
      await writeAudit(trx, {
        ...{ at: now, actor: admin.actor, action: 'user.tokens_revoked', subject: uid },
        detail: String(revoked.length),
      });
    }
    return revoked.length;
  });
}

async function checkToken(trx: Trx, uid: string, id: string): Promise<void> {
  const token = await trx
    .selectFrom('tokens')
    .select('id')
    .where('id', '=', id)
    .where('uid', '=', uid)
    .executeTakeFirst();
  if (token === undefined) throw failure('not_found', 'Cannot find this token');
}

/** Throws `own_account`, so that no administrator locks themselves out. */
function checkOther({ caller }: Admin, { uid }: UsersTable, what: string): void {
  if (caller?.user.uid !== uid) return;
  throw failure('own_account', `Cannot ${what}. Another administrator can`);
}

function setUser(trx: Trx, uid: string, changes: Partial<UsersTable>): Promise<UsersTable> {
  return trx
    .updateTable('users')
    .set(changes)
    .where('uid', '=', uid)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Hides or shows what the user has made public. */
async function settleUser(trx: Trx, user: UsersTable, now: number): Promise<ChangedUser> {
  await indexDeveloper(trx, user);
  const games: GamesTable[] = [];
  for (const id of await findGameIds(trx, user.uid)) {
    // Its owner is locked, so only another administrator or the upkeep can change it meanwhile.
    if ((await lockAnyGame(trx, id)) !== undefined) games.push(await settleStatus(trx, id, now));
  }
  return { user, games };
}
