// Deletes reports that were decided, notices, and records of the audit trail, once they are older than the limits.
import { startOfIds } from '../database/new-id.ts';
import type { Platform } from '../platform.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Records of the audit trail that a run deletes at most. The first time they may be those of years, which must not stop the server. */
const ROWS = 2_000;

type Context = Pick<Platform, 'db' | 'database' | 'now' | 'limits'>;

export async function dropOldRecords(context: Context): Promise<void> {
  const { db, now, limits } = context;
  await db
    .deleteFrom('reports')
    .where('resolved_at', '<=', now() - limits.report_days * DAY_MS)
    .execute();
  await db
    .deleteFrom('notices')
    .where('at', '<=', now() - limits.notice_days * DAY_MS)
    .execute();
  if (limits.audit_days > 0) await dropOldAudit(context);
}

/** Deletes the oldest records. Ids begin with the time, so this reads old records only. */
async function dropOldAudit({ db, database, now, limits }: Context): Promise<void> {
  const old = db
    .selectFrom('audit')
    .select('id')
    .where('id', '<', startOfIds(now() - limits.audit_days * DAY_MS))
    .orderBy('id')
    .limit(ROWS);
  // Another process may delete the same ones.
  const free = database.engine === 'postgres' ? old.forUpdate().skipLocked() : old;
  await db.deleteFrom('audit').where('id', 'in', free).execute();
}
