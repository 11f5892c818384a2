// The log lines about a database that cannot be reached: one when that begins, one when it ends.
import type { Log } from '@svc/observe';
import { reasonOf } from './database-failure.ts';

const LEAST_INTERVAL_MS = 10_000;

export type Outages = {
  /** Records an error of the database. Writes a line for the operator if it is the first. */
  began(error: unknown): void;
  /** Records that the database has answered. */
  ended(): void;
};

/** If outages follow each other quickly, at most one is logged in ten seconds. `now` is a monotonic clock in milliseconds. */
export function createOutages(log: Log, now: () => number = () => performance.now()): Outages {
  let isOut = false;
  let isLogged = false;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return {
    began(error) {
      if (isOut) return;
      isOut = true;
      isLogged = now() - loggedAt >= LEAST_INTERVAL_MS;
      if (!isLogged) return;
      loggedAt = now();
      log.warn(
        `the database cannot be reached: ${reasonOf(error)}. Requests that need it are answered with 503`,
      );
    },
    ended() {
      if (!isOut) return;
      isOut = false;
      if (isLogged) log.info('the database can be reached again');
    },
  };
}
