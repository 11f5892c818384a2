// Pieces of background work that do not depend on each other: one that fails does not prevent the others.
import { sql } from 'kysely';
import { isBusy } from '../failure.ts';
import type { Platform } from '../platform.ts';

type Databases = Pick<Platform, 'db' | 'log'>;

/**
 * Removes the files of something, such as `project ID`. If that fails, logs the reason, once for each reason of each name.
 * Throws only if the database does not answer.
 */
export type DoItem = (name: string, work: () => Promise<unknown>) => Promise<void>;

export function createItems(context: Databases): DoItem {
  /** The logged failures of items that have not succeeded since. */
  const logged = new Map<string, string>();
  return async (name, work) => {
    try {
      await work();
      logged.delete(name);
    } catch (error) {
      await checkDatabase(context);
      const reason = reasonOf(error);
      if (isBusy(error) || logged.get(name) === reason) return;
      logged.set(name, reason);
      context.log.warn(
        `the files of ${name} cannot be removed now, and the upkeep tries again: ${reason}`,
      );
    }
  };
}

/** Throws if the database does not answer. */
export async function checkDatabase({ db }: Pick<Platform, 'db'>): Promise<void> {
  await sql`select 1`.execute(db);
}

/** The error with its causes. The cause of an outage of the store states what the store has answered. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause === undefined ? String(error) : `${error}: ${reasonOf(cause)}`;
}
