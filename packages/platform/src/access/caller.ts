// Identifies the caller from the Authorization header and checks what their credential allows.
import {
  isWellFormedToken,
  type RouteRow,
  type Scope,
  TOKEN_PREFIX,
} from '@svc/contracts/platform';
import type { OpenDatabase } from '../database/open-database.ts';
import type { Db, TokensTable, UsersTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { checkNotEndedByProvider } from './ended-sessions.ts';
import { hashSecret } from './hash-secret.ts';
import type { VerifyIdToken } from './verify-id-token.ts';

const USE_NOTED_EVERY_MS = 30_000;

/** The services that identify a caller. */
export type Access = {
  readonly db: Db;
  readonly database: OpenDatabase;
  readonly verifyIdToken: VerifyIdToken;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

/** A row of `tokens` with its JSON lists parsed. */
type TokenRow = Omit<TokensTable, 'scopes' | 'projects'> & {
  readonly scopes: readonly Scope[];
  readonly projects: readonly string[] | null;
};

/** The requirements of a route for its caller. */
type Requirement = Pick<RouteRow, 'auth' | 'developer' | 'admin'>;

/**
 * The user and their credential. The times are when the ID token was issued and expires, in milliseconds since 1970. `sid` is the id of
 * the session at the provider; null if the ID token has none.
 */
type Identified =
  | {
      readonly kind: 'session';
      readonly user: UsersTable;
      readonly sid: string | null;
      readonly issuedAt: number;
      readonly endsAt: number;
    }
  | { readonly kind: 'pat'; readonly user: UsersTable; readonly token: TokenRow };

/** A caller who meets the requirements of the route. */
export type Caller = Identified & { readonly required: Requirement };

/** Identifies the caller. Throws a 401 for an invalid credential, a 403 for one that the route does not accept. */
export async function admitCaller(
  access: Access,
  header: string | undefined,
  required: Requirement,
): Promise<Caller> {
  const credential = /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
  if (credential === undefined) {
    throw failure('unauthenticated', 'The request has no credential. Send Authorization: Bearer …');
  }
  const identified = credential.startsWith(TOKEN_PREFIX)
    ? await identifyToken(access, credential)
    : await identifySession(access, credential);
  const caller = { ...identified, required };
  checkRequirement(caller);
  return caller;
}

/** Throws a 401 if the account was deleted or the session was ended, and a 403 if the caller may not use the route. */
export function checkRequirement(caller: Caller): void {
  const { auth, developer, admin } = caller.required;
  checkNotDeleted(caller.user);
  checkNotSuspended(caller.user);
  if (caller.kind === 'session') checkNotEnded(caller.user, caller.issuedAt);
  if (caller.kind === 'pat') {
    if (auth === 'session') {
      throw failure(
        'session_only',
        'This is not possible with a personal access token. Sign in instead',
      );
    }
    const { scopes } = caller.token;
    const holds =
      auth === 'read' ? scopes.length > 0 : auth !== 'publish' || scopes.includes('publish');
    if (!holds) throw failure('scope_missing', `The token does not have the scope "${auth}"`);
  }
  if (developer && caller.user.role === 'player') {
    throw failure('developer_required', 'Only developers can do this. Sign in as a developer');
  }
  if (admin && caller.user.role !== 'admin') {
    throw failure('admin_required', 'Only administrators can do this');
  }
}

function checkNotDeleted({ deleted_at }: Pick<UsersTable, 'deleted_at'>): void {
  if (deleted_at === null) return;
  throw failure('unauthenticated', 'The account was deleted');
}

/** Throws `account_suspended` with the reason. */
export function checkNotSuspended({
  suspended_at,
  suspended_reason: reason,
}: Pick<UsersTable, 'suspended_at' | 'suspended_reason'>): void {
  if (suspended_at === null) return;
  const why = reason === null ? '' : `. Reason: ${reason}`;
  throw failure('account_suspended', `The operator of this server has suspended the account${why}`);
}

/** Throws `session_ended` if an ID token was issued before the sessions of its user were ended. */
export function checkNotEnded(
  { sessions_ended_at }: Pick<UsersTable, 'sessions_ended_at'>,
  issuedAt: number,
): void {
  if (sessions_ended_at === null || issuedAt > sessions_ended_at) return;
  throw failure('session_ended', 'Your sessions were ended. Sign in again');
}

/** Creates the 401 for an unknown credential. */
export function unknownCredential(): Error {
  return failure('unauthenticated', 'The token is unknown on this server');
}

/** Throws `token_revoked` or `token_expired`. */
export function checkToken(
  { revoked_at, expires_at }: Pick<TokensTable, 'revoked_at' | 'expires_at'>,
  now: number,
): void {
  if (revoked_at !== null) {
    throw failure('token_revoked', 'The token was revoked');
  }
  if (expires_at !== null && expires_at <= now) {
    throw failure('token_expired', 'The token has expired');
  }
}

/** Parses the JSON lists of a row. */
export function readTokenRow(row: TokensTable): TokenRow {
  return {
    ...row,
    scopes: JSON.parse(row.scopes),
    projects: row.projects === null ? null : JSON.parse(row.projects),
  };
}

async function identifyToken(access: Access, secret: string): Promise<Identified> {
  if (!isWellFormedToken(secret)) throw unknownCredential();
  // The query uses the hash, which a client cannot choose, so its duration reveals nothing about stored tokens.
  const row = await access.db
    .selectFrom('tokens')
    .selectAll()
    .where('hash', '=', hashSecret(secret))
    .executeTakeFirstOrThrow(unknownCredential);
  const now = access.now();
  checkToken(row, now);
  if (row.last_used_at === null || row.last_used_at + USE_NOTED_EVERY_MS <= now) {
    await noteUse(access, row.id, now);
  }
  const user = await access.db
    .selectFrom('users')
    .selectAll()
    .where('uid', '=', row.uid)
    .executeTakeFirstOrThrow();
  return { kind: 'pat', user, token: readTokenRow(row) };
}

/** Stores the time of use. If a transaction has locked the token on PostgreSQL, it skips this, and the next request stores it. */
async function noteUse({ db, database }: Access, id: string, now: number): Promise<void> {
  const update = db.updateTable('tokens').set({ last_used_at: now });
  if (database.engine === 'sqlite') {
    await update.where('id', '=', id).execute();
    return;
  }
  await update
    .where('id', '=', (eb) =>
      eb.selectFrom('tokens').select('id').where('id', '=', id).forUpdate().skipLocked(),
    )
    .execute();
}

async function identifySession(access: Access, idToken: string): Promise<Identified> {
  const identity = await access.verifyIdToken(idToken);
  await checkNotEndedByProvider(access.db, identity);
  const user = await access.db
    .selectFrom('users')
    .selectAll()
    .where('issuer', '=', identity.issuerKey)
    .where('sub', '=', identity.sub)
    .executeTakeFirst();
  if (user === undefined) {
    throw failure(
      'session_required',
      'The ID token has no session yet. Call POST /auth/session first',
    );
  }
  const { sid, issuedAt, endsAt } = identity;
  return { kind: 'session', user, sid, issuedAt, endsAt };
}
