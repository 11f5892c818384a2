// Attempts to store files of a project. An attempt is a row with a random id and a heartbeat in the database's clock. It writes
// only its own place in the file store, and becomes visible in the transaction that makes it `committed`. If its process
// stalls, others mark it `abandoned`: then it can never be committed, and its place is removed.
import { setTimeout } from 'node:timers/promises';
import { ApiError } from '@svc/serve';
import { databaseNow } from '../database/database-clock.ts';
import { newId } from '../database/new-id.ts';
import type { AttemptsTable, Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { Batch } from '../files/file-store.ts';
import { placeFolder } from '../files/keys.ts';
import type { Platform } from '../platform.ts';

/** Heartbeats during the lease after which an attempt without one is considered abandoned. */
const BEATS_PER_LEASE = 4;
/** The time in which the outcome of a commit without an answer is looked up, and the pause between two tries. */
const OUTCOME_MS = 10_000;
const OUTCOME_PAUSE_MS = 500;

/** What attempts need of the platform. */
export type AttemptContext = Pick<Platform, 'db' | 'database' | 'files' | 'attemptLeaseMs' | 'log'>;

type Kind = Exclude<AttemptsTable['kind'], 'upload'>;

/** An open attempt. Disposing of it abandons it, unless it was committed, and removes what it stored. */
export type Attempt = AsyncDisposable & {
  /** The id, which is also the name of its place in the file store. */
  readonly id: string;
  /** Stores files in its place. */
  readonly batch: Batch;
  /** Returns whether it was abandoned before a commit was tried. False if the database does not answer. */
  wasAbandoned(): Promise<boolean>;
  /** Aborted with `change_interrupted` when the attempt can no longer be committed. */
  readonly signal: AbortSignal;
  /**
   * Runs the transaction that refers to the stored files. Throws `change_interrupted` if the attempt was abandoned meanwhile; then
   * nothing was changed. If the connection is lost during the commit, looks up its outcome; `recall` then reads the result.
   */
  commit<Result>(
    change: (trx: Trx) => Promise<Result>,
    recall: () => Promise<Result>,
  ): Promise<Result>;
};

/** Opens an attempt. Throws `publish_in_progress` if another publish of the project is at work. */
export async function openAttempt(
  platform: AttemptContext,
  gameId: string,
  kind: Kind,
): Promise<Attempt> {
  const id = newId();
  if (!(await insertAttempt(platform, { id, gameId, kind }))) {
    throw failure(
      'publish_in_progress',
      'Cannot publish: another publish of this project is running. Wait for it to end, or try again in a moment',
    );
  }
  const lost = new AbortController();
  const heart = startHeartbeat(platform, id, () => lost.abort(interrupted(kind)));
  const batch = platform.files.startBatch();
  let isLeft = false;
  let isTried = false;
  return {
    id,
    batch,
    signal: lost.signal,
    wasAbandoned: async () => !isTried && (await isClosed(platform, id)),
    async commit(change, recall) {
      isTried = true;
      try {
        const result = await platform.db.transaction().execute(async (trx) => {
          const changed = await change(trx);
          if (!(await setCommitted(platform, trx, id))) throw interrupted(kind);
          return changed;
        });
        isLeft = true;
        return result;
      } catch (error) {
        const outcome = await findOutcome(platform, id);
        isLeft = outcome !== 'abandoned';
        if (outcome === 'unknown') throw unknownOutcome(kind, error);
        if (outcome === 'abandoned') throw error;
        return recall();
      }
    },
    async [Symbol.asyncDispose]() {
      heart[Symbol.dispose]();
      await batch.stop();
      if (isLeft) return;
      await undo(platform, gameId, id).catch((error: unknown) => {
        platform.log.warn(`an attempt is left to the upkeep: ${String(error)}`);
      });
    },
  };
}

/**
 * Opens an attempt and runs the work. If the work fails because its attempt was abandoned and its files were removed meanwhile,
 * throws `change_interrupted`. Throws as `openAttempt`.
 */
export async function inAttempt<Result>(
  platform: AttemptContext,
  { gameId, kind }: { readonly gameId: string; readonly kind: Kind },
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  await using attempt = await openAttempt(platform, gameId, kind);
  try {
    return await work(attempt);
  } catch (error) {
    if (error instanceof ApiError || !(await attempt.wasAbandoned())) throw error;
    throw interrupted(kind, error);
  }
}

/** Returns whether the attempt is no longer open. False if the database does not answer. */
async function isClosed({ db }: AttemptContext, id: string): Promise<boolean> {
  try {
    const row = await db
      .selectFrom('attempts')
      .select('state')
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.state !== 'open';
  } catch {
    return false;
  }
}

/** Inserts the row. Returns false if another publish of the project is at work. */
async function insertAttempt(
  { db, database, attemptLeaseMs }: AttemptContext,
  attempt: { readonly id: string; readonly gameId: string; readonly kind: Kind },
): Promise<boolean> {
  const now = databaseNow(database.engine);
  const { id, gameId, kind } = attempt;
  return db.transaction().execute(async (trx) => {
    await trx
      .updateTable('attempts')
      .set({ state: 'abandoned', beat_at: now })
      .where('game_id', '=', gameId)
      .where('kind', '=', kind)
      .where('state', '=', 'open')
      .where('beat_at', '<', (eb) => eb(now, '-', attemptLeaseMs))
      .execute();
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('attempts')
      .values({ id, game_id: gameId, kind, state: 'open', beat_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  });
}

/** Sends heartbeats until it is disposed of. Calls `onLost` once if the attempt is no longer open. */
function startHeartbeat(
  { db, database, attemptLeaseMs }: AttemptContext,
  id: string,
  onLost: () => void,
): Disposable {
  let isBeating = false;
  const beat = async (): Promise<void> => {
    const { numUpdatedRows } = await db
      .updateTable('attempts')
      .set({ beat_at: databaseNow(database.engine) })
      .where('id', '=', id)
      .where('state', '=', 'open')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) onLost();
  };
  const timer = setInterval(() => {
    if (isBeating) return;
    isBeating = true;
    // A heartbeat that fails changes nothing: the commit finds out whether the attempt is still open.
    beat()
      .catch(() => {})
      .finally(() => {
        isBeating = false;
      });
  }, attemptLeaseMs / BEATS_PER_LEASE);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function setCommitted({ database }: AttemptContext, trx: Trx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('attempts')
    .set({ state: 'committed', beat_at: databaseNow(database.engine) })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Marks an open attempt as abandoned. Waits for a commit in progress. Returns whether it was committed before. */
async function abandon(
  { db, database }: AttemptContext,
  id: string,
): Promise<'abandoned' | 'committed'> {
  await db
    .updateTable('attempts')
    .set({ state: 'abandoned', beat_at: databaseNow(database.engine) })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .execute();
  const row = await db
    .selectFrom('attempts')
    .select('state')
    .where('id', '=', id)
    .executeTakeFirst();
  const isCommitted = row?.state === 'committed' || row?.state === 'unused';
  return isCommitted ? 'committed' : 'abandoned';
}

/** Finds out whether a commit that failed has taken effect. `unknown` if the database does not answer for ten seconds. */
async function findOutcome(
  platform: AttemptContext,
  id: string,
): Promise<'abandoned' | 'committed' | 'unknown'> {
  const end = Date.now() + OUTCOME_MS;
  do {
    try {
      return await abandon(platform, id);
    } catch {
      await setTimeout(OUTCOME_PAUSE_MS);
    }
  } while (Date.now() < end);
  return 'unknown';
}

/** Removes what an attempt without a commit has stored. Its batch must be stopped. */
async function undo(platform: AttemptContext, gameId: string, id: string): Promise<void> {
  if ((await abandon(platform, id)) === 'committed') return;
  await removePlace(platform, gameId, id);
}

/**
 * Removes the place of an abandoned attempt, and marks it as `swept`. A call to the store that was given up may still take
 * effect later, and a stopped process may store one more file. So the upkeep removes the place once more after an hour.
 */
export async function removePlace(
  { db, database, files }: AttemptContext,
  gameId: string,
  id: string,
): Promise<void> {
  await files.removeFolder(placeFolder(gameId, id));
  await db
    .updateTable('attempts')
    .set({ state: 'swept', beat_at: databaseNow(database.engine) })
    .where('id', '=', id)
    .where('state', '=', 'abandoned')
    .execute();
}

const WORK = { publish: 'publish', media: 'update the store page' } as const;

function interrupted(kind: Kind, cause?: unknown): Error {
  return failure(
    'change_interrupted',
    `Cannot ${WORK[kind]}: the server was stopped for too long during the work. Nothing was changed. Try again`,
    { cause },
  );
}

function unknownOutcome(kind: Kind, cause: unknown): Error {
  return failure(
    'unavailable',
    `The connection to the database was lost at the end, so it is unknown whether this succeeded: ${WORK[kind]}. Look at the project before you try again`,
    { cause },
  );
}
