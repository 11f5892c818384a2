// Deletes daily counts that are older than the limit, and names of missing files much earlier.
import type { DailyCountsTable, Db } from '../database/schema.ts';
import type { Platform } from '../platform.ts';
import { dayOf } from './count/stats.ts';

const DAY_MS = 24 * 3600 * 1000;

/** How many days each kind is kept at most. Null: those of the limit. */
const KEPT_DAYS: Readonly<Record<DailyCountsTable['kind'], number | null>> = {
  view: null,
  play: null,
  framed_play: null,
  bytes: null,
  missing: null,
  // A game may build the name of a file from what its players enter.
  missing_file: 30,
};

/** Rows that one statement deletes. A day of many games is deleted in several. */
const ROWS = 5_000;

/** Deletes each kind by itself, because the index begins with the kind. This runs every few seconds, and must read old rows only. */
export async function dropOldCounts({
  db,
  now,
  limits,
}: Pick<Platform, 'db' | 'now' | 'limits'>): Promise<void> {
  for (const [kind, days] of Object.entries(KEPT_DAYS)) {
    const kept = Math.min(days ?? limits.stats_days, limits.stats_days);
    const before = dayOf(now() - kept * DAY_MS);
    while ((await dropSome(db, kind as DailyCountsTable['kind'], before)) === ROWS);
  }
}

/** Returns how many rows were deleted. */
async function dropSome(db: Db, kind: DailyCountsTable['kind'], before: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('daily_counts')
    .where((eb) =>
      eb(
        eb.refTuple('game_id', 'day', 'kind', 'name'),
        'in',
        eb
          .selectFrom('daily_counts')
          .select(['game_id', 'day', 'kind', 'name'])
          .where('kind', '=', kind)
          .where('day', '<', before)
          .limit(ROWS)
          .$asTuple('game_id', 'day', 'kind', 'name'),
      ),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
