// Holds that keep files from being removed while a backup copies them. A hold is a row with a lease in the database's clock, so
// that a backup that was killed holds nothing for long.
import { databaseNow } from '../database/database-clock.ts';
import { newId } from '../database/new-id.ts';
import type { Platform } from '../platform.ts';

type Databases = Pick<Platform, 'db' | 'database'>;

/** A hold ends this long after its last renewal. */
const LEASE_MS = 120_000;
const RENEW_MS = 20_000;

/** A hold that is renewed until it is disposed of, which ends it. */
export type RemovalHold = AsyncDisposable & {
  /** Renews the hold. Throws if it had expired before: files may have been removed since. */
  confirm(): Promise<void>;
};

/**
 * Returns whether files must stay because a backup may copy them. Ask after reading which files are unused, and before removing
 * them: a backup that begins after the answer does not know these files.
 */
export async function areRemovalsHeld({ db, database }: Databases): Promise<boolean> {
  const hold = await db
    .selectFrom('removal_holds')
    .select('id')
    .where('until', '>', databaseNow(database.engine))
    .executeTakeFirst();
  return hold !== undefined;
}

/** Begins a hold. No file that the database refers to from now on is removed until it ends. */
export async function holdRemovals({ db, database }: Databases): Promise<RemovalHold> {
  const id = newId();
  const now = databaseNow(database.engine);
  await db.deleteFrom('removal_holds').where('until', '<=', now).execute();
  await db
    .insertInto('removal_holds')
    .values((eb) => ({ id, until: eb(now, '+', LEASE_MS) }))
    .execute();
  const renew = async (): Promise<boolean> => {
    const { numUpdatedRows } = await db
      .updateTable('removal_holds')
      .set((eb) => ({ until: eb(now, '+', LEASE_MS) }))
      .where('id', '=', id)
      .where('until', '>', now)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  };
  // A renewal that fails changes nothing: `confirm` finds out whether the hold has expired.
  const timer = setInterval(() => void renew().catch(() => {}), RENEW_MS);
  timer.unref();
  return {
    async confirm() {
      if (await renew()) return;
      throw new Error(
        'Cannot finish the backup: it was stopped for too long, and files may have been removed meanwhile. Start it again',
      );
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      // If this fails, the hold expires.
      await db
        .deleteFrom('removal_holds')
        .where('id', '=', id)
        .execute()
        .catch(() => {});
    },
  };
}
