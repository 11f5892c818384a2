// Reads the audit trail.
import type { AuditRecord, QUERIES } from '@svc/contracts/platform';
import type { Static } from 'typebox';
import type { AuditTable } from '../database/schema.ts';
import { formatTime } from '../http/format-time.ts';
import { cutPage, readPage } from '../http/paging.ts';
import { pageSlug } from '../projects/game-records.ts';
import type { Admin, Filter } from './act.ts';
import { beginningWith } from './containing.ts';

type AuditQuery = Filter<Static<typeof QUERIES.audit>>;

/** Returns a page of records, newest first. */
export async function readAudit(
  { db, limits }: Pick<Admin, 'db' | 'limits'>,
  query: AuditQuery,
): Promise<{ records: AuditRecord[]; next_cursor: string | null }> {
  const page = readPage(limits, query);
  let found = db.selectFrom('audit').selectAll();
  if (query.subject !== undefined) found = found.where('subject', '=', query.subject);
  if (query.uid !== undefined) found = found.where('uid', '=', query.uid);
  const { action } = query;
  if (action !== undefined) {
    found = action.endsWith('.')
      ? found.where(beginningWith('action', action))
      : found.where('action', '=', action);
  }
  // Ids are made in the order of time.
  if (page.after !== null) found = found.where('id', '<', page.after.id);
  const rows = await found
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const cut = cutPage(rows, page, ({ at, id }) => ({ at, id }));
  return { records: await auditRecords(db, cut.rows), next_cursor: cut.next_cursor };
}

async function auditRecords(db: Admin['db'], rows: readonly AuditTable[]): Promise<AuditRecord[]> {
  const ids = [
    ...new Set(rows.flatMap(({ uid, subject }) => [subject, ...(uid === null ? [] : [uid])])),
  ];
  const names = await readNames(db, ids);
  return rows.map(({ id, at, uid, token_id, operator, action, subject, detail }) => ({
    id,
    at: formatTime(at),
    actor:
      uid === null && operator === null
        ? null
        : { uid, name: uid === null ? operator : (names.get(uid) ?? null), token_id },
    action,
    subject,
    subject_name: names.get(subject) ?? null,
    detail,
  }));
}

/** Returns the slugs of games, and the names of users and tokens, with these ids. */
async function readNames(
  db: Admin['db'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const users = await db
    .selectFrom('users')
    .select(['uid', 'name'])
    .where('uid', 'in', ids)
    .execute();
  const games = await db
    .selectFrom('games')
    .select(['id', 'slug', 'page_slug'])
    .where('id', 'in', ids)
    .execute();
  const tokens = await db
    .selectFrom('tokens')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .execute();
  return new Map([
    ...tokens.map(({ id, name }): [string, string] => [id, name]),
    ...users.map(({ uid, name }): [string, string] => [uid, name]),
    ...games.map((game): [string, string] => [game.id, pageSlug(game)]),
  ]);
}
