// Who calls: from the Authorization header to a user and what the credential allows.
import { createHash } from 'node:crypto';
import {
  isWellFormedToken,
  type RouteRow,
  type Scope,
  TOKEN_PREFIX,
} from '@svc/contracts/platform';
import type { OpenDatabase } from '../database/open-database.ts';
import type { Db, TokensTable, UsersTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { VerifyIdToken } from './verify-id-token.ts';

const USE_NOTED_EVERY_MS = 30_000;

/** What it takes to identify a caller and to check them again. */
export type Access = {
  readonly db: Db;
  readonly database: OpenDatabase;
  readonly verifyIdToken: VerifyIdToken;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

/** A personal access token as the database holds it, with its lists read. */
export type TokenRow = Omit<TokensTable, 'scopes' | 'projects'> & {
  readonly scopes: readonly Scope[];
  readonly projects: readonly string[] | null;
};

/** What a route requires of its caller. */
export type Requirement = Pick<RouteRow, 'auth' | 'developer'>;

/** Who calls, by which credential. `endsAt` is when the ID token ends, in milliseconds since 1970. */
type Identified =
  | { readonly kind: 'session'; readonly user: UsersTable; readonly endsAt: number }
  | { readonly kind: 'pat'; readonly user: UsersTable; readonly token: TokenRow };

/** A caller who meets what the route requires. */
export type Caller = Identified & { readonly required: Requirement };

/** The sender of the header. Throws a 401 for a credential that is not valid, a 403 for one that the route does not take. */
export async function admitCaller(
  access: Access,
  header: string | undefined,
  required: Requirement,
): Promise<Caller> {
  const credential = /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
  if (credential === undefined) {
    throw failure('unauthenticated', 'Cannot tell who is asking: send Authorization: Bearer …');
  }
  const identified = credential.startsWith(TOKEN_PREFIX)
    ? await identifyToken(access, credential)
    : await identifySession(access, credential);
  const caller = { ...identified, required };
  checkRequirement(caller);
  return caller;
}

/** Throws a 403 where the caller may not use the route. */
export function checkRequirement(caller: Caller): void {
  const { auth, developer } = caller.required;
  if (caller.kind === 'pat') {
    if (auth === 'session') {
      throw failure('session_only', 'Cannot do this with a personal access token: sign in instead');
    }
    const { scopes } = caller.token;
    const holds =
      auth === 'read' ? scopes.length > 0 : auth !== 'publish' || scopes.includes('publish');
    if (!holds)
      throw failure('scope_missing', `Cannot do this: the token lacks the scope "${auth}"`);
  }
  if (developer && caller.user.role !== 'developer') {
    throw failure('developer_required', 'Cannot do this: the caller is not a developer');
  }
}

/** The 401 for a credential that belongs to nobody. */
export function unknownCredential(): Error {
  return failure('unauthenticated', 'Cannot accept the token: it is not known here');
}

/** Throws `token_revoked` or `token_expired`. */
export function checkToken(
  { revoked_at, expires_at }: Pick<TokensTable, 'revoked_at' | 'expires_at'>,
  now: number,
): void {
  if (revoked_at !== null) {
    throw failure('token_revoked', 'Cannot accept the token: it was revoked');
  }
  if (expires_at !== null && expires_at <= now) {
    throw failure('token_expired', 'Cannot accept the token: it has expired');
  }
}

/** SHA-256 of a token's secret, in hex: all that is kept of it. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The row with its lists read. */
export function readTokenRow(row: TokensTable): TokenRow {
  return {
    ...row,
    scopes: JSON.parse(row.scopes),
    projects: row.projects === null ? null : JSON.parse(row.projects),
  };
}

async function identifyToken(access: Access, secret: string): Promise<Identified> {
  if (!isWellFormedToken(secret)) throw unknownCredential();
  // Found by its hash, an index on 256 bits that nobody can choose: how long the look-up takes tells nothing.
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

/** Waits for no transaction: where one holds the token on PostgreSQL, such as a publish, the next request notes its use. */
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
  const user = await access.db
    .selectFrom('users')
    .selectAll()
    .where('issuer', '=', identity.issuerKey)
    .where('sub', '=', identity.sub)
    .executeTakeFirst();
  if (user === undefined) {
    throw failure('session_required', 'Cannot accept the ID token yet: POST /auth/session first');
  }
  return { kind: 'session', user, endsAt: identity.endsAt };
}
