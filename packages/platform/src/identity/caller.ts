// Who calls: from the Authorization header to a user and what the credential allows.
import { createHash } from 'node:crypto';
import {
  isWellFormedToken,
  type RouteAuth,
  type Scope,
  TOKEN_PREFIX,
} from '@svc/contracts/platform';
import type { TokensTable, UsersTable } from '../database/schema.ts';
import { failure } from '../http/failure.ts';
import type { Platform } from '../platform.ts';

const USE_NOTED_EVERY_MS = 30_000;

/** A personal access token as the database holds it, with its lists read. */
export type TokenRow = Omit<TokensTable, 'scopes' | 'projects'> & {
  readonly scopes: readonly Scope[];
  readonly projects: readonly string[] | null;
};

export type Caller =
  | { readonly kind: 'session'; readonly user: UsersTable }
  | { readonly kind: 'pat'; readonly user: UsersTable; readonly token: TokenRow };

/** Who sent the header. Throws a 401 that says why where nobody valid did. */
export async function identifyCaller(
  platform: Platform,
  header: string | undefined,
): Promise<Caller> {
  const credential = /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
  if (credential === undefined) {
    throw failure('unauthenticated', 'Cannot tell who is asking: send Authorization: Bearer …');
  }
  return credential.startsWith(TOKEN_PREFIX)
    ? identifyToken(platform, credential)
    : identifySession(platform, credential);
}

/** Throws a 403 where the caller may not use a route of this kind. */
export function checkCaller(caller: Caller, auth: RouteAuth, needsDeveloper: boolean): void {
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
  if (needsDeveloper && caller.user.role !== 'developer') {
    throw failure('developer_required', 'Cannot do this: the caller is not a developer');
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

async function identifyToken(platform: Platform, secret: string): Promise<Caller> {
  const unknown = failure('unauthenticated', 'Cannot accept the token: it is not known here');
  if (!isWellFormedToken(secret)) throw unknown;
  // Found by its hash, an index on 256 bits that nobody can choose: how long the look-up takes tells nothing.
  const row = await platform.db
    .selectFrom('tokens')
    .selectAll()
    .where('hash', '=', hashSecret(secret))
    .executeTakeFirst();
  if (row === undefined) throw unknown;
  if (row.revoked_at !== null) {
    throw failure('token_revoked', 'Cannot accept the token: it was revoked');
  }
  const now = platform.now();
  if (row.expires_at !== null && row.expires_at <= now) {
    throw failure('token_expired', 'Cannot accept the token: it has expired');
  }
  if (row.last_used_at === null || row.last_used_at + USE_NOTED_EVERY_MS <= now) {
    await platform.db
      .updateTable('tokens')
      .set({ last_used_at: now })
      .where('id', '=', row.id)
      .execute();
  }
  const user = await platform.db
    .selectFrom('users')
    .selectAll()
    .where('uid', '=', row.uid)
    .executeTakeFirstOrThrow();
  return { kind: 'pat', user, token: readTokenRow(row) };
}

async function identifySession(platform: Platform, idToken: string): Promise<Caller> {
  const identity = await platform.verifyIdToken(idToken);
  const user = await platform.db
    .selectFrom('users')
    .selectAll()
    .where('issuer', '=', identity.issuerKey)
    .where('sub', '=', identity.sub)
    .executeTakeFirst();
  if (user === undefined) {
    throw failure('session_required', 'Cannot accept the ID token yet: POST /auth/session first');
  }
  return { kind: 'session', user };
}
