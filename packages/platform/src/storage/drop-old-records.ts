// Deletes reports that were decided, notices, and records of the audit trail, once they are older than the limits.
import { startOfIds } from '../database/new-id.ts';
import type { Db } from '../database/schema.ts';
import type { Platform } from '../platform.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Records of the audit trail that one statement deletes. The first time, they may be those of years. */
const ROWS = 5_000;

export async function dropOldRecords({
  db,
  now,
  limits,
}: Pick<Platform, 'db' | 'now' | 'limits'>): Promise<void> {
  await db
    .deleteFrom('reports')
    .where('resolved_at', '<=', now() - limits.report_days * DAY_MS)
    .execute();
  await db
    .deleteFrom('notices')
    .where('at', '<=', now() - limits.notice_days * DAY_MS)
    .execute();
  if (limits.audit_days === 0) return;
  const before = startOfIds(now() - limits.audit_days * DAY_MS);
  while ((await dropSomeAudit(db, before)) === ROWS);
}

/** Returns how many records were deleted. Ids begin with the time, so this reads old records only. */
async function dropSomeAudit(db: Db, before: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('audit')
    .where('id', 'in', (eb) =>
      eb.selectFrom('audit').select('id').where('id', '<', before).limit(ROWS),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
