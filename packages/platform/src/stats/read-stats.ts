// Reads the daily counts of a game.
import type { CallAnswer, DayStats, MissingFile } from '@svc/contracts/platform';
import type { DailyCountsTable, GamesTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { Platform } from '../platform.ts';
import { dayOf } from './count/stats.ts';

const DAY_MS = 24 * 3600 * 1000;
const DEFAULT_DAYS = 30;
/** Missing files that an answer names. */
const FILES = 20;

/** Parses `days`. Throws `invalid_input` for a number out of range. */
export function readDays({ limits }: Platform, text: string | undefined): number {
  const days = text === undefined ? Math.min(DEFAULT_DAYS, limits.stats_days) : Number(text);
  if (days >= 1 && days <= limits.stats_days) return days;
  const message = `The number of days is ${days}. Allowed: whole numbers from 1 to ${limits.stats_days}`;
  throw failure('invalid_input', message, { details: [{ path: '/days', message }] });
}

/** Returns the counts of the last days, the oldest first. The last day is today, in UTC. */
export async function readStats(
  platform: Platform,
  game: GamesTable,
  days: number,
): Promise<CallAnswer<'projectStats'>> {
  const { db, now, stats } = platform;
  await stats.flush(game.id);
  const at = now();
  const listed = Array.from({ length: days }, (_, index) =>
    dayOf(at - (days - 1 - index) * DAY_MS),
  );
  const rows = await db
    .selectFrom('daily_counts')
    .leftJoin('releases', 'releases.id', 'daily_counts.name')
    .select(['day', 'kind', 'name', 'count', 'releases.version'])
    .where('daily_counts.game_id', '=', game.id)
    .where('day', '>=', listed[0] ?? '')
    .execute();
  const byDay = new Map(listed.map((day) => [day, emptyDay(day)]));
  const missing = new Map<string, number>();
  for (const row of rows) {
    const count = Number(row.count);
    const day = byDay.get(row.day);
    if (day === undefined) continue;
    addCount(day, { kind: row.kind, version: row.version, count });
    if (row.kind === 'missing_file') missing.set(row.name, (missing.get(row.name) ?? 0) + count);
  }
  return {
    counted: stats.isCounting,
    days: [...byDay.values()].map(sortReleases),
    missing_files: mostMissing(missing),
  };
}

type MutableDay = { -readonly [Name in keyof DayStats]: DayStats[Name] };

function emptyDay(day: string): MutableDay {
  return { day, views: 0, plays: 0, store_plays: 0, bytes: 0, missing: 0, releases: [] };
}

type Count = {
  readonly kind: DailyCountsTable['kind'];
  readonly version: string | null;
  readonly count: number;
};

function addCount(day: MutableDay, { kind, version, count }: Count): void {
  switch (kind) {
    case 'view':
      day.views += count;
      return;
    case 'bytes':
      day.bytes += count;
      return;
    case 'missing':
      day.missing += count;
      return;
    case 'missing_file':
      return;
    case 'framed_play':
      day.store_plays += count;
      return;
    case 'play':
      day.plays += count;
      if (version !== null) day.releases.push({ version, plays: count });
  }
}

function sortReleases(day: DayStats): DayStats {
  return { ...day, releases: day.releases.toSorted((one, other) => other.plays - one.plays) };
}

/** The files that were missing most often. */
function mostMissing(missing: ReadonlyMap<string, number>): MissingFile[] {
  return [...missing]
    .map(([path, count]) => ({ path, count }))
    .toSorted((one, other) => other.count - one.count)
    .slice(0, FILES);
}
