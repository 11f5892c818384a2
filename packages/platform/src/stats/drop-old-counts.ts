// Deletes daily counts that are older than the limit, and names of missing files much earlier.
import type { Platform } from '../platform.ts';
import { dayOf } from './count/stats.ts';

const DAY_MS = 24 * 3600 * 1000;
/** A game may build the name of a file from what its players enter. */
const NAMES_DAYS = 30;

export async function dropOldCounts({
  db,
  now,
  limits,
}: Pick<Platform, 'db' | 'now' | 'limits'>): Promise<void> {
  await db
    .deleteFrom('daily_counts')
    .where('day', '<', dayOf(now() - limits.stats_days * DAY_MS))
    .execute();
  await db
    .deleteFrom('daily_counts')
    .where('day', '<', dayOf(now() - NAMES_DAYS * DAY_MS))
    .where('kind', '=', 'missing_file')
    .execute();
}
