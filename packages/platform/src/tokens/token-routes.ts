// Routes to create, list and revoke personal access tokens. They need an ID token.
import { randomBytes } from 'node:crypto';
import { LISTED_FAULTS, quoted } from '@svc/contracts/faults';
import {
  type CreateToken,
  drawTokenRandom,
  formatToken,
  requestSchemas,
  type Token,
} from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import { writeAudit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { confirmCaller } from '../access/confirm-caller.ts';
import { hashSecret } from '../access/hash-secret.ts';
import { newId } from '../database/new-id.ts';
import type { TokensTable, Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { routesOn } from '../handle-route.ts';
import { writeNotice } from '../notices/write-notice.ts';
import type { Platform } from '../platform.ts';
import { TOKENS_LISTED, tokenRecord } from './token-record.ts';

const DAY_MS = 24 * 3600 * 1000;

export function tokenRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  handleRoute('createToken', ({ caller, body }) => createToken(platform, caller, body), {
    body: requestSchemas(platform.limits).CreateToken,
  });
  handleRoute('tokens', async ({ caller }) => ({
    tokens: await listTokens(platform, caller.user.uid),
  }));
  handleRoute('revokeToken', async ({ caller, params }) => {
    await revokeToken(platform, caller, params.id);
    return null;
  });
}

/** Returns the tokens that a user has made, newest first. */
export async function listTokens({ db }: Pick<Platform, 'db'>, uid: string): Promise<Token[]> {
  const rows = await db
    .selectFrom('tokens')
    .selectAll()
    .where('uid', '=', uid)
    .where('publisher_id', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(TOKENS_LISTED)
    .execute();
  return rows.map(tokenRecord);
}

async function createToken(
  platform: Platform,
  caller: Caller,
  body: CreateToken,
): Promise<{ token: Token; secret: string }> {
  const { uid } = caller.user;
  const projects = body.projects ?? null;
  const secret = formatToken(drawTokenRandom(randomBytes));
  const now = platform.now();
  const days =
    body.expires_in_days === undefined ? platform.limits.token_default_days : body.expires_in_days;
  const row: TokensTable = {
    id: newId(),
    uid,
    hash: hashSecret(secret),
    name: body.name.trim(),
    scopes: JSON.stringify(body.scopes ?? ['publish']),
    projects: projects === null ? null : JSON.stringify(projects),
    created_at: now,
    expires_at: days === null ? null : now + days * DAY_MS,
    last_used_at: null,
    revoked_at: null,
    publisher_id: null,
    provenance: null,
  };
  await platform.db.transaction().execute(async (trx) => {
    await confirmCaller(platform, trx, caller);
    if (projects !== null) await checkProjects(trx, uid, projects);
    await trx.insertInto('tokens').values(row).execute();
    await writeAudit(trx, { at: now, actor: { uid }, action: 'token.created', subject: row.id });
    await writeNotice(trx, { uid, at: now, kind: 'token_created', detail: row.name });
  });
  return { token: tokenRecord(row), secret };
}

/** Rejects a project that is not the caller's. The message is the same whether the project exists or not. */
async function checkProjects(trx: Trx, uid: string, projects: readonly string[]): Promise<void> {
  const owned = await trx
    .selectFrom('games')
    .select('id')
    .where('developer_uid', '=', uid)
    .where('deleted_at', 'is', null)
    .where('id', 'in', projects)
    .execute();
  const known = new Set(owned.map((game) => game.id));
  const details = projects
    .map((id, index) => ({
      id,
      path: `/projects/${index}`,
      message: `Project ${index + 1}${quoted(id)} is not one of yours. Allowed: ids of your projects`,
    }))
    .filter(({ id }) => !known.has(id))
    .slice(0, LISTED_FAULTS)
    .map(({ path, message }) => ({ path, message }));
  const [first] = details;
  if (first !== undefined) throw failure('invalid_input', first.message, { details });
}

async function revokeToken(platform: Platform, caller: Caller, id: string): Promise<void> {
  const { uid } = caller.user;
  const now = platform.now();
  await platform.db.transaction().execute(async (trx) => {
    await confirmCaller(platform, trx, caller);
    const row = await trx
      .selectFrom('tokens')
      .select('revoked_at')
      .where('id', '=', id)
      .where('uid', '=', uid)
      .executeTakeFirst();
    if (row === undefined) throw failure('not_found', 'Cannot find this token');
    if (row.revoked_at !== null) return;
    await trx.updateTable('tokens').set({ revoked_at: now }).where('id', '=', id).execute();
    await writeAudit(trx, { at: now, actor: { uid }, action: 'token.revoked', subject: id });
  });
}
