// Finds users for administrators.
import type { AdminUser, QUERIES, Token } from '@svc/contracts/platform';
import { type SqlBool, sql } from 'kysely';
import type { Static } from 'typebox';
import { userRecord } from '../accounts/user-records.ts';
import type { Db, UsersTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { formatTime } from '../http/format-time.ts';
import { cutPage, readPage } from '../http/paging.ts';
import { TOKENS_LISTED, tokenRecord } from '../tokens/token-record.ts';
import type { Admin, Filter } from './act.ts';
import { containing } from './containing.ts';

type UsersQuery = Filter<Static<typeof QUERIES.adminUsers>>;

/** Returns a page of users, newest first. */
export async function findUsers(
  admin: Admin,
  query: UsersQuery,
): Promise<{ users: AdminUser[]; next_cursor: string | null }> {
  const page = readPage(admin.limits, query);
  let found = admin.db.selectFrom('users').selectAll().where('deleted_at', 'is', null);
  if (query.role !== undefined) found = found.where('role', '=', query.role);
  if (query.suspended !== undefined) {
    found = found.where('suspended_at', query.suspended === 'true' ? 'is not' : 'is', null);
  }
  const text = query.q?.trim() ?? '';
  if (text !== '') {
    found = found.where(({ eb, or }) =>
      or([eb('uid', '=', text), containing('name', text), containing('email', text)]),
    );
  }
  const { after } = page;
  if (after !== null) {
    found = found.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'uid'), '<', tuple(after.at, after.id)),
    );
  }
  const rows = await found
    .orderBy('created_at', 'desc')
    .orderBy('uid', 'desc')
    .limit(page.limit + 1)
    .execute();
  const cut = cutPage(rows, page, (user) => ({ at: user.created_at, id: user.uid }));
  return { users: await adminUserRecords(admin, cut.rows), next_cursor: cut.next_cursor };
}

/** Returns the user. Throws `not_found`, also for a deleted user. */
export async function findUser({ db }: Pick<Admin, 'db'>, uid: string): Promise<UsersTable> {
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('uid', '=', uid)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (user === undefined) throw failure('not_found', 'Cannot find this user');
  return user;
}

/** Returns the users with this id, or with this e-mail address in any case. Two providers may know the same address. */
export async function findUsersByName(db: Db, name: string): Promise<UsersTable[]> {
  return await db
    .selectFrom('users')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where(({ eb, or }) =>
      or([
        ...[eb('uid', '=', name), eb('email', '=', name)],
        sql<SqlBool>`lower(${sql.ref('email')}) = ${name.toLowerCase()}`,
      ]),
    )
    .orderBy('uid')
    .limit(10)
    .execute();
}

/** Returns the users as records in the same order. */
export async function adminUserRecords(
  { db, addresses }: Pick<Admin, 'db' | 'addresses'>,
  users: readonly UsersTable[],
): Promise<AdminUser[]> {
  const uids = users.map((user) => user.uid);
  const counts =
    uids.length === 0
      ? []
      : await db
          .selectFrom('games')
          .select(['developer_uid', (eb) => eb.fn.countAll<number | string>().as('count')])
          .where('developer_uid', 'in', uids)
          .groupBy('developer_uid')
          .execute();
  const projects = new Map(counts.map((row) => [row.developer_uid, Number(row.count)]));
  return users.map((user) => ({
    ...userRecord(addresses, user),
    email: user.email,
    role: user.role,
    issuer: user.issuer,
    subject: user.sub,
    suspended: suspensionOf(user),
    sessions_ended_at: formatTime(user.sessions_ended_at),
    projects: projects.get(user.uid) ?? 0,
    quota: { projects: user.quota_projects, project_bytes: user.quota_project_bytes },
  }));
}

/** Returns when and why the user was suspended; null if they are not. */
export function suspensionOf({
  suspended_at,
  suspended_reason: reason,
}: Pick<UsersTable, 'suspended_at' | 'suspended_reason'>): AdminUser['suspended'] {
  return suspended_at === null ? null : { at: formatTime(suspended_at), reason };
}

/** Returns the tokens of a user, newest first, also those that CI runs have now. Throws `not_found`. */
export async function tokensOf({ db, now }: Admin, uid: string): Promise<Token[]> {
  await findUser({ db }, uid);
  const rows = await db
    .selectFrom('tokens')
    .selectAll()
    .where('uid', '=', uid)
    .where(({ eb, or }) => or([eb('publisher_id', 'is', null), eb('expires_at', '>', now())]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(TOKENS_LISTED)
    .execute();
  return rows.map(tokenRecord);
}
