// Opens a session: stores the owner of an ID token as a user, and makes them a developer if that is allowed.
import { cleanLine } from '@svc/contracts/platform';
import { writeAudit } from '../access/audit.ts';
import { checkNotEnded, checkNotSuspended } from '../access/caller.ts';
import { checkNotEndedByProvider } from '../access/ended-sessions.ts';
import { hashSecret } from '../access/hash-secret.ts';
import type { Identity } from '../access/verify-id-token.ts';
import { newId } from '../database/new-id.ts';
import type { UsersTable } from '../database/schema.ts';
import { indexDeveloper } from '../database/search-index.ts';
import { failure } from '../failure.ts';
import { writeNotice } from '../notices/write-notice.ts';
import type { Platform } from '../platform.ts';
import { findDeletion } from './deleted-identity.ts';
import { isKnownDevice } from './device.ts';

const NAME_CHARACTERS = 80;

type SignIn = {
  readonly idToken: string;
  readonly wantsDeveloper: boolean;
  /** What the device has kept of an earlier sign-in. */
  readonly device: string | undefined;
  /** Counts a new account and creates it. */
  readonly signUp: (create: () => Promise<boolean>) => Promise<boolean>;
};

/**
 * Creates or updates the user of a verified identity and returns them. A sign-in on an unknown device is a notice to the user. Throws `developer_signup_closed`, `account_suspended`,
 * `session_ended`, `rate_limited`.
 */
export async function openSession(
  platform: Platform,
  identity: Identity,
  { idToken, wantsDeveloper, device, signUp }: SignIn,
): Promise<UsersTable> {
  await checkNotEndedByProvider(platform.db, identity);
  const { user, isNew } = await keepUser(platform, identity, signUp);
  checkNotSuspended(user);
  checkNotEnded(user, identity.issuedAt);
  const isKnown = isNew || isKnownDevice(platform, user, device);
  await noteSignIn(platform, user, { idToken, endsAt: identity.endsAt, isKnown });
  if (!wantsDeveloper || user.role !== 'player') return user;
  if (!mayBecomeDeveloper(platform, user)) {
    throw failure(
      'developer_signup_closed',
      "Your account is not on this server's list of developers. Ask the operator to add it",
    );
  }
  await platform.db.transaction().execute(async (trx) => {
    const made = await trx
      .updateTable('users')
      .set({ role: 'developer' })
      .where('uid', '=', user.uid)
      .where('deleted_at', 'is', null)
      .where('role', '=', 'player')
      .where('role_chosen_at', 'is', null)
      .where('suspended_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    // An administrator has chosen the role meanwhile, or suspended the user, or the account was deleted.
    if (made === undefined) return;
    await indexDeveloper(trx, made);
    await writeAudit(trx, {
      at: platform.now(),
      actor: { uid: user.uid },
      action: 'developer.made',
      subject: user.uid,
    });
  });
  return platform.db
    .selectFrom('users')
    .selectAll()
    .where('uid', '=', user.uid)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow(deletedError);
}

/** An ID token, and whether it was sent by a device that the user has signed in with before. */
type Noted = { readonly idToken: string; readonly endsAt: number; readonly isKnown: boolean };

/**
 * Notifies the user of a sign-in on an unknown device. One ID token is one sign-in, also if it is sent again. Throws `session_ended` if the
 * account was deleted meanwhile.
 */
async function noteSignIn(
  { db, now }: Platform,
  { uid }: UsersTable,
  { idToken, endsAt: until, isKnown }: Noted,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .selectFrom('users')
      .select('uid')
      .where('uid', '=', uid)
      .where('deleted_at', 'is', null)
      .executeTakeFirstOrThrow(deletedError);
    const { numInsertedOrUpdatedRows: count } = await trx
      .insertInto('used_id_tokens')
      .values({ hash: hashSecret(`sign-in ${idToken}`), until })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .executeTakeFirst();
    if (count === 1n && !isKnown) await writeNotice(trx, { uid, at: now(), kind: 'signed_in' });
  });
}

function mayBecomeDeveloper({ signUp }: Platform, user: UsersTable): boolean {
  // What an administrator has chosen stays.
  if (user.role_chosen_at !== null) return false;
  const email = user.email?.toLowerCase();
  return (
    signUp.open || signUp.allowed.some((one) => one === user.uid || one.toLowerCase() === email)
  );
}

async function keepUser(
  platform: Platform,
  identity: Identity,
  signUp: SignIn['signUp'],
): Promise<{ readonly user: UsersTable; readonly isNew: boolean }> {
  const name = readName(platform, identity.name);
  const known = await findUser(platform, identity);
  const isNew = known === undefined && (await signUp(() => createUser(platform, identity, name)));
  const user = known ?? (await findUser(platform, identity));
  if (user === undefined) throw deletedError();
  return { user: await refreshUser(platform, user, { email: identity.email, name }), isNew };
}

function findUser({ db }: Platform, { issuerKey, sub }: Identity): Promise<UsersTable | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('issuer', '=', issuerKey)
    .where('sub', '=', sub)
    .executeTakeFirst();
}

/** Returns whether the user was created, and not by another request at the same time. Throws `session_ended`. */
function createUser(
  { db, now }: Platform,
  identity: Identity,
  name: string | null,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const uid = newId();
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('users')
      .values({
        uid,
        issuer: identity.issuerKey,
        sub: identity.sub,
        email: identity.email,
        name: name ?? 'Player',
        avatar: null,
        name_edited: 0,
        avatar_edited: 0,
        role: 'player',
        created_at: now(),
        avatar_id: null,
      })
      .onConflict((conflict) => conflict.columns(['issuer', 'sub']).doNothing())
      .executeTakeFirst();
    // After the insert, which waits for a deletion of the same account in progress.
    const deletedAt = await findDeletion(trx, identity);
    if (deletedAt === null) return numInsertedOrUpdatedRows === 1n;
    if (identity.issuedAt <= deletedAt) throw deletedError();
    // ID tokens of the deleted account are none of the new one.
    await trx
      .updateTable('users')
      .set({ sessions_ended_at: deletedAt })
      .where('uid', '=', uid)
      .execute();
    return numInsertedOrUpdatedRows === 1n;
  });
}

/** Creates the error for an ID token of an account that was deleted after it was issued. */
function deletedError(): Error {
  return failure('session_ended', 'The account was deleted. Sign in again to create a new one');
}

/** Updates the user with the provider's current data, except for an edited name. */
async function refreshUser(
  platform: Platform,
  user: UsersTable,
  current: { email: string | null; name: string | null },
): Promise<UsersTable> {
  const fresh = {
    email: current.email,
    name: user.name_edited === 1 || current.name === null ? user.name : current.name,
  };
  if (fresh.email === user.email && fresh.name === user.name) return user;
  return platform.db.transaction().execute(async (trx) => {
    const changed = await trx
      .updateTable('users')
      .set(fresh)
      .where('uid', '=', user.uid)
      .where('deleted_at', 'is', null)
      // If the user edits the name at the same time, the edit wins and the next session updates the rest.
      .where('name_edited', '=', user.name_edited)
      .returningAll()
      .executeTakeFirst();
    if (changed === undefined) return user;
    await indexDeveloper(trx, changed);
    return changed;
  });
}

/** Returns the provider's name; null if it is missing, or contains a word that the operator has blocked. */
function readName({ blockedWords }: Platform, name: string | null): string | null {
  // Truncate first: that may leave an incomplete emoji.
  const clean = cleanLine([...(name ?? '').trim()].slice(0, NAME_CHARACTERS).join(''));
  return clean === '' || blockedWords.isIn(clean) ? null : clean;
}
