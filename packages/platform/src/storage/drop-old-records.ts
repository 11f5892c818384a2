// Deletes reports that were decided and notices, once they are older than the limits.
import type { Platform } from '../platform.ts';

const DAY_MS = 24 * 3600 * 1000;

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
}
