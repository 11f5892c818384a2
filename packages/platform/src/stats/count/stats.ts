// The daily counts of games: in memory first, and stored twice a minute.
import { errorFields, type Log } from '@svc/observe';
import { ApiError } from '@svc/serve';
import type { Db } from '../../database/schema.ts';
import { oneAtATime } from '../../one-at-a-time.ts';
import { type Batch, type Counters, createCounters } from './counters.ts';
import { storeCounts } from './store-counts.ts';

const EVERY_MS = 30_000;
const GAMES_A_TRANSACTION = 100;
/** The key of a run for all games. No id of a game is like it. */
const ALL = '';

export type Stats = Pick<Counters, 'view' | 'play' | 'sent' | 'missing'> &
  AsyncDisposable & {
    /** Whether anything is counted. */
    readonly isCounting: boolean;
    /** Stores what this process has counted, of one game or of all. Counts are kept if the database does not answer. */
    flush(gameId?: string): Promise<void>;
  };

type StatsContext = {
  readonly db: Db;
  readonly database: { readonly engine: 'sqlite' | 'postgres' };
  readonly now: () => number;
  readonly log: Log;
};

/** Starts counting. Disposing stores what is left. If counting is off, every call does nothing. `store` stores counts of a day. */
export function startStats(
  context: StatsContext,
  isCounting: boolean,
  store: typeof storeCounts = storeCounts,
): Stats {
  return isCounting ? startCounting(context, store) : COUNT_NOTHING;
}

const COUNT_NOTHING: Stats = {
  isCounting: false,
  view() {},
  play() {},
  sent() {},
  missing() {},
  async flush() {},
  async [Symbol.asyncDispose]() {},
};

function startCounting(
  { db, database: { engine }, now, log }: StatsContext,
  storeDay: typeof storeCounts,
): Stats {
  const { take, giveBack, ...count } = createCounters(now);
  /** Stores a part of the counts. Returns whether the database answers. */
  const storePart = async (batch: Batch): Promise<boolean> => {
    try {
      await storeDay({ db, engine }, dayOf(batch.since), batch.games);
      return true;
    } catch (error) {
      if (error instanceof ApiError) {
        giveBack(batch);
        return false;
      }
      // A fault of the program. They would fail again.
      log.error(`plays of ${batch.games.size} games are not stored`, errorFields(error));
      return true;
    }
  };
  const store = async (key: string): Promise<void> => {
    const batch = key === ALL ? take() : take(key);
    if (batch === null) return;
    const games = [...batch.games];
    let isUp = true;
    for (let from = 0; from < games.length; from += GAMES_A_TRANSACTION) {
      const part = new Map(games.slice(from, from + GAMES_A_TRANSACTION));
      const some = { since: batch.since, games: part };
      if (isUp) isUp = await storePart(some);
      else giveBack(some);
    }
  };
  const runs = oneAtATime(store);
  let storingAll = Promise.resolve();
  const flush = async (gameId?: string): Promise<void> => {
    if (gameId === undefined) storingAll = runs.run(ALL);
    // What a run for all games has taken is not stored yet.
    await storingAll;
    if (gameId !== undefined) await runs.run(gameId);
  };
  const timer = setInterval(() => flush(), EVERY_MS);
  timer.unref();
  return {
    ...count,
    isCounting: true,
    flush,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await flush();
    },
  };
}

/** Returns the day of a time in UTC, such as `2026-11-26`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
