// Buckets in PostgreSQL, which all processes share. If it does not answer soon, the process counts in its own memory.
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../database/schema.ts';
import type { Buckets, Level, OwnBuckets, Share } from './buckets.ts';

/** By default a request waits at most this long for PostgreSQL. */
const PATIENCE_MS = 250;
/** After PostgreSQL has not answered in time, it is not asked for this time. */
const PAUSE_MS = 5000;
/** Rows that one statement deletes. Requests from many addresses leave more than one statement can delete within its time limit. */
const DROPPED_ROWS = 5_000;

/** PostgreSQL's clock in microseconds. It stands still during a statement. */
const NOW = sql`(extract(epoch from statement_timestamp()) * 1000000)::bigint`;
/** When the bucket is full before the request. The clock may have been set back. */
const BEFORE = sql`least(greatest(held.full_at, ${NOW}), ${NOW} + excluded.period)`;
const AFTER = sql`${BEFORE} + excluded.full_at - ${NOW}`;
const FITS = sql`(excluded.fits and ${AFTER} <= ${NOW} + excluded.period)`;

type Row = { readonly key: string; readonly until_full: number; readonly fits: boolean };

type SharedOptions = {
  readonly db: Db;
  /** Counts while PostgreSQL does not answer. It knows the levels that PostgreSQL has answered before. */
  readonly own: OwnBuckets;
  /** Called for each request that only this process counts. */
  readonly onAlone: () => void;
  /** Called with the error of a statement that failed. */
  readonly onFailed: (error: unknown) => void;
  /** How long a request waits for PostgreSQL. */
  readonly patienceMs?: number;
};

/** Creates the shared buckets. They never fail because of PostgreSQL, and never wait longer for it than their patience. */
export function createSharedBuckets({
  db,
  own,
  onAlone,
  onFailed,
  patienceMs = PATIENCE_MS,
}: SharedOptions): Buckets {
  let pausedUntil = 0;
  /** Returns null if PostgreSQL does not answer in time. */
  const change = async (shares: readonly Share[]): Promise<Level[] | null> => {
    const now = performance.now();
    if (now < pausedUntil) return null;
    // During an outage, only one request asks whether PostgreSQL answers again.
    if (pausedUntil > 0) pausedUntil = now + PAUSE_MS;
    const statement = changeRows(db, shares).catch((error: unknown) => {
      onFailed(error);
      return null;
    });
    const levels = await within(patienceMs, statement);
    pausedUntil = levels === null ? performance.now() + PAUSE_MS : 0;
    for (const [index, share] of shares.entries()) {
      const level = levels?.[index];
      if (level !== undefined) own.set(share, level.untilFull);
    }
    return levels;
  };
  return {
    async take(shares) {
      const levels = await change(shares);
      if (levels === null) {
        onAlone();
        return own.take(shares);
      }
      const taken = shares.filter((_, index) => levels[index]?.fits === true);
      if (taken.length === shares.length) return levels;
      await change(negative(taken));
      return levels.map((level, index) => ({
        ...level,
        untilFull: Math.max(0, level.untilFull - (level.fits ? (shares[index]?.cost ?? 0) : 0)),
      }));
    },
    async giveBack(shares) {
      if ((await change(negative(shares))) === null) await own.giveBack(shares);
    },
  };
}

function negative(shares: readonly Share[]): Share[] {
  return shares.map((share) => ({ ...share, cost: -share.cost }));
}

/** Returns null if the statement takes too long. */
async function within<Result>(ms: number, statement: Promise<Result>): Promise<Result | null> {
  const patience = new AbortController();
  const late = setTimeout(ms, null, { ref: false, signal: patience.signal });
  try {
    return await Promise.race([statement, late.catch(() => null)]);
  } finally {
    patience.abort();
  }
}

/** Changes all buckets with one statement. Rows are locked in the order of their keys, so that statements never block each other. */
async function changeRows(db: Db, shares: readonly Share[]): Promise<Level[]> {
  if (shares.length === 0) return [];
  const { rows } = await sql<Row>`
    insert into rate_limits as held (key, full_at, period, fits)
    select key, ${NOW} + case when cost <= period then cost else 0 end, period, cost <= period
    from unnest(
      ${shares.map(({ key }) => key)}::text[],
      ${shares.map(({ cost }) => cost)}::bigint[],
      ${shares.map(({ period }) => period)}::bigint[]
    ) as asked (key, cost, period)
    order by key
    on conflict (key) do update set
      full_at = case when ${FITS} then ${AFTER} else ${BEFORE} end,
      period = excluded.period,
      fits = ${FITS}
    returning key, greatest(0, full_at - ${NOW}) as until_full, fits`.execute(db);
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return shares.map(({ key }) => {
    const row = byKey.get(key);
    if (row === undefined) throw new Error('PostgreSQL has not answered with the bucket');
    return { untilFull: row.until_full, fits: row.fits };
  });
}

/** Deletes the buckets that are full, because a missing one is full too. */
export async function dropFullBuckets(db: Db): Promise<void> {
  while ((await dropSome(db)) === DROPPED_ROWS);
}

/** Returns how many rows were deleted. */
async function dropSome(db: Db): Promise<number> {
  // Skips rows that a request has locked, to avoid a deadlock. The next run deletes them.
  const { numAffectedRows } = await sql`delete from rate_limits where key in (
    select key from rate_limits where full_at <= ${NOW} limit ${DROPPED_ROWS} for update skip locked
  )`.execute(db);
  return Number(numAffectedRows);
}
