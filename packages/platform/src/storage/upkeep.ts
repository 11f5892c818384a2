// Background work: scheduled removals, deleted games, kept files that have expired, and what abandoned attempts have stored.

import { errorFields } from '@svc/observe';
import { databaseNow } from '../database/database-clock.ts';
import { isPassing } from '../failure.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import type { Platform, Upkeep } from '../platform.ts';
import { dropFullBuckets } from '../rates/shared-buckets.ts';
import { dropOldCounts } from '../stats/drop-old-counts.ts';
import { type AttemptContext, removePlace } from './attempt.ts';
import { checkDatabase, createItems, type DoItem } from './do-item.ts';
import { dropExpiredTokens } from './drop-expired-tokens.ts';
import { dropOldRecords } from './drop-old-records.ts';
import { endExpiredPreviews } from './end-previews.ts';
import { removeDeletedGames } from './remove-deleted-games.ts';
import { doRemovals } from './remove-files.ts';

const EVERY_MS = 20_000;
const HOUR_MS = 3600 * 1000;
/** A place is removed once more after this time (see `removePlace` and `setUnused`). */
const SWEEP_AGAIN_MS = HOUR_MS;

type UpkeepContext = AttemptContext & Pick<Platform, 'now' | 'limits'>;

/** Whether a run has done all work that was due, and how long it took. What fails for one project is logged, and is no failure of the run. */
export type UpkeepRun = { readonly isDone: boolean; readonly seconds: number };

/**
 * Starts the upkeep, which runs regularly until it is disposed of. Disposing begins no work and waits for work in progress.
 * `onRun` is called after each run.
 */
export function startUpkeep(
  context: UpkeepContext,
  onRun: (run: UpkeepRun) => void = () => {},
): Upkeep {
  let isEnded = false;
  const doNext = createItems(context);
  const doItem: DoItem = async (name, work) => {
    if (!isEnded) await doNext(name, work);
  };
  const removals = oneAtATime((gameId) =>
    doItem(`project ${gameId}`, () => doRemovals(context, gameId)),
  );
  const runs = oneAtATime(async () => {
    if (isEnded) return;
    const startedAt = performance.now();
    let isDone = false;
    try {
      await abandonStale(context);
      await endUploads(context);
      await removeDeletedGames(context, doItem);
      await endExpiredPreviews(context, doItem);
      await sweepAbandoned(context, doItem);
      await dropExpired(context);
      await dropExpiredTokens(context);
      for (const gameId of await findDue(context)) await removals.run(gameId);
      await dropOldCounts(context);
      await dropOldRecords(context);
      if (context.database.engine === 'postgres') await dropFullBuckets(context.db);
      isDone = true;
    } catch (error) {
      await checkDatabase(context);
      report(context, error);
    } finally {
      onRun({ isDone, seconds: (performance.now() - startedAt) / 1000 });
    }
  });
  const run = (): Promise<void> => runs.run('all');
  const timer = setInterval(() => {
    run().catch((error: unknown) => report(context, error));
  }, EVERY_MS);
  timer.unref();
  return {
    run,
    removeFiles: (gameId) => removals.run(gameId).catch((error: unknown) => report(context, error)),
    async [Symbol.asyncDispose]() {
      isEnded = true;
      clearInterval(timer);
      await runs.settle();
      await removals.settle();
    },
  };
}

function report({ log }: UpkeepContext, error: unknown): void {
  if (isPassing(error)) return;
  log.error('the upkeep failed', errorFields(error));
}

/** Marks attempts without a heartbeat as abandoned. Their processes were killed, are stopped, or cannot reach the database. */
async function abandonStale({ db, database, attemptLeaseMs }: UpkeepContext): Promise<void> {
  const now = databaseNow(database.engine);
  await db
    .updateTable('attempts')
    .set({ state: 'abandoned', beat_at: now })
    .where('state', '=', 'open')
    .where('beat_at', '<', (eb) => eb(now, '-', attemptLeaseMs))
    .execute();
}

/** Ends uploads in parts that have expired, and marks the attempts of all that have ended as abandoned. */
async function endUploads({ db, database, limits }: UpkeepContext): Promise<void> {
  const now = databaseNow(database.engine);
  await db
    .deleteFrom('uploads')
    .where('touched_at', '<', (eb) => eb(now, '-', limits.upload_hours * HOUR_MS))
    .execute();
  await db
    .updateTable('attempts')
    .set({ state: 'abandoned', beat_at: now })
    .where('state', '=', 'receiving')
    .where('id', 'not in', (eb) => eb.selectFrom('uploads').select('id'))
    .execute();
}

/** Removes the places of abandoned attempts, and an hour later once more, with their rows. Does the latter for unused places too. */
async function sweepAbandoned(context: UpkeepContext, doItem: DoItem): Promise<void> {
  const { db, database } = context;
  const now = databaseNow(database.engine);
  const attempts = await db
    .selectFrom('attempts')
    .select(['id', 'game_id', 'state'])
    .where(({ eb, or, and }) =>
      or([
        eb('state', '=', 'abandoned'),
        and([
          eb('state', 'in', ['swept', 'unused']),
          eb('beat_at', '<', eb(now, '-', SWEEP_AGAIN_MS)),
        ]),
      ]),
    )
    .execute();
  for (const { id, game_id, state } of attempts) {
    await doItem(`attempt ${id} of project ${game_id}`, async () => {
      await removePlace(context, game_id, id);
      if (state !== 'abandoned') await db.deleteFrom('attempts').where('id', '=', id).execute();
    });
  }
}

/** Deletes kept files that have expired. Their releases still exist, so no file is removed from the store. */
async function dropExpired({ db, database, now }: UpkeepContext): Promise<void> {
  const expired = db.selectFrom('kept_manifests').select('manifest_id').where('until', '<=', now());
  // Skips rows that another transaction has locked, to avoid a deadlock. The next run deletes them.
  const free = database.engine === 'postgres' ? expired.forUpdate().skipLocked() : expired;
  await db.transaction().execute(async (trx) => {
    const rows = await trx
      .deleteFrom('kept_manifests')
      .where('manifest_id', 'in', free)
      .returning('manifest_id')
      .execute();
    const ids = rows.map((row) => row.manifest_id);
    if (ids.length > 0) await trx.deleteFrom('manifests').where('id', 'in', ids).execute();
  });
}

/** The projects with scheduled removals, the oldest first. */
async function findDue({ db }: UpkeepContext): Promise<string[]> {
  const due = await db
    .selectFrom('removals')
    .select('game_id')
    .groupBy('game_id')
    .orderBy((eb) => eb.fn.min('id'))
    .execute();
  return due.map((row) => row.game_id);
}
