// Routes for the caller's notices.
import type { Notice, QUERIES } from '@svc/contracts/platform';
import { requestSchemas } from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import type { Static } from 'typebox';
import { isId } from '../database/new-id.ts';
import { routesOn } from '../handle-route.ts';
import { cutPage, readPage } from '../http/paging.ts';
import type { Platform } from '../platform.ts';
import { noticeRecord } from './notice-record.ts';

export function noticeRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  handleRoute('notices', ({ caller, query }) => findNotices(platform, caller.user.uid, query));
  handleRoute(
    'readNotices',
    async ({ caller, body }) => {
      await markRead(platform, caller.user.uid, body.last);
      return null;
    },
    { body: requestSchemas(platform.limits).ReadNotices },
  );
}

/** Returns a page of the notices of a user, newest first. */
export async function findNotices(
  { db, limits }: Pick<Platform, 'db' | 'limits'>,
  uid: string,
  query: { readonly [Name in keyof Static<typeof QUERIES.list>]?: string | undefined },
): Promise<{ notices: Notice[]; next_cursor: string | null }> {
  const page = readPage(limits, query);
  let found = db.selectFrom('notices').selectAll().where('uid', '=', uid);
  // Ids are made in the order of time.
  if (page.after !== null) found = found.where('id', '<', page.after.id);
  const rows = await found
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const cut = cutPage(rows, page, ({ at, id }) => ({ at, id }));
  return { notices: cut.rows.map(noticeRecord), next_cursor: cut.next_cursor };
}

/** Marks the notices of a user up to this one as read. The id of another user's notice is a time like any other. */
async function markRead(
  { db, now }: Pick<Platform, 'db' | 'now'>,
  uid: string,
  last: string,
): Promise<void> {
  if (!isId(last)) return;
  await db
    .updateTable('notices')
    .set({ read_at: now() })
    .where('uid', '=', uid)
    .where('read_at', 'is', null)
    .where('id', '<=', last)
    .execute();
}
