// What all acts of an administrator share: who acts, and one transaction for the act and its record.
import type { PlatformLimits } from '@svc/contracts/platform';
import { type Actor, actorOf } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { confirmCaller } from '../access/confirm-caller.ts';
import type { Db, Trx, UsersTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { Addresses, Platform } from '../platform.ts';

/** Who acts, and where. */
export type Admin = {
  readonly db: Db;
  readonly addresses: Addresses;
  readonly limits: PlatformLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly actor: Actor;
  /** Null for the operator on the command line. */
  readonly caller: Caller | null;
};

/** A query, in which a field may also be undefined. */
export type Filter<Query> = { readonly [Name in keyof Query]?: Query[Name] | undefined };

/** An act on a user, or on a game. */
type Work<Result> = (trx: Trx, now: number) => Promise<Result>;

/** Returns the administrator who has sent a request. */
export function adminOf(platform: Platform, caller: Caller): Admin {
  const { db, addresses, limits, now } = platform;
  return { db, addresses, limits, now, actor: actorOf(caller), caller };
}

/**
 * Does the act on a user in one transaction, in which the caller is confirmed and the user is locked. Throws `not_found`, and the errors of
 * `confirmCaller`.
 */
export async function actOnUser<Result>(
  admin: Admin,
  uid: string,
  work: (trx: Trx, user: UsersTable, now: number) => Promise<Result>,
): Promise<Result> {
  return await act(admin, async (trx, now) => {
    // In one order, so that two administrators who act on each other do not wait for each other.
    const uids = new Set([uid, ...(admin.caller === null ? [] : [admin.caller.user.uid])]);
    const locked = new Map<string, UsersTable | undefined>();
    for (const one of [...uids].sort()) locked.set(one, await lockUser(trx, one));
    const user = locked.get(uid);
    await confirm(admin, trx);
    if (user === undefined || user.deleted_at !== null) {
      throw failure('not_found', 'Cannot find this user');
    }
    return await work(trx, user, now);
  });
}

/** Does the act on a game in one transaction, in which the caller is confirmed. */
export async function actOnGame<Result>(admin: Admin, work: Work<Result>): Promise<Result> {
  return await act(admin, async (trx, now) => {
    await confirm(admin, trx);
    return await work(trx, now);
  });
}

function act<Result>({ db, now }: Admin, work: Work<Result>): Promise<Result> {
  return db.transaction().execute((trx) => work(trx, now()));
}

async function confirm(admin: Admin, trx: Trx): Promise<void> {
  if (admin.caller !== null) await confirmCaller(admin, trx, admin.caller);
}

// An update without a change locks the row on both engines. SQLite has no `for update`.
function lockUser(trx: Trx, uid: string): Promise<UsersTable | undefined> {
  return trx
    .updateTable('users')
    .set((eb) => ({ role: eb.ref('role') }))
    .where('uid', '=', uid)
    .returningAll()
    .executeTakeFirst();
}
