// Foresees whether a body whose length is known will have arrived in time, so that a hopeless import is refused early.
import { ApiError } from '@svc/serve';

/** A request's time is divided into this many parts; the rate is taken in each of them. */
const PARTS = 30;
/** Nothing is judged before this many parts are over. */
const PARTS_BEFORE_JUDGING = 3;

export type Arrival = {
  /** Notes bytes that arrived and were taken. Throws `request_timeout` once the rest can't arrive in time. */
  take(bytes: number): void;
};

/**
 * Watches a body of `expected` bytes (null where its length is not known: then nothing is judged). A body is given up when
 * even at the best rate that it has had, the rest would arrive after `requestMs`. `now` is in milliseconds.
 */
export function watchArrival(
  expected: number | null,
  requestMs: number,
  now: () => number = () => performance.now(),
): Arrival {
  const began = now();
  const partMs = requestMs / PARTS;
  let arrived = 0;
  let part = { began, arrived: 0 };
  let bestPerMs = 0;
  return {
    take(bytes) {
      arrived += bytes;
      const at = now();
      const ms = at - part.began;
      if (expected === null || ms < partMs) return;
      bestPerMs = Math.max(bestPerMs, (arrived - part.arrived) / ms);
      part = { began: at, arrived };
      if (at - began < PARTS_BEFORE_JUDGING * partMs) return;
      const neededMs = at - began + (expected - arrived) / bestPerMs;
      if (neededMs > requestMs) throw tooSlow(expected, neededMs, requestMs);
    },
  };
}

/** What is said of an import whose time is up. */
export const IMPORT_TOO_SLOW =
  'Cannot import the trace: it did not arrive, or was not checked, in the time that a request has. Open the file with svc dashboard FILE, which has no deadline';

function tooSlow(bytes: number, neededMs: number, requestMs: number): ApiError {
  const [needed, limit] = [neededMs, requestMs].map((ms) => `${Math.ceil(ms / 1_000)} s`);
  const size = `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
  return new ApiError(
    'request_timeout',
    `Cannot import the trace: at the rate at which its ${size} arrive and are checked it would take about ${needed}, and a request has ${limit}. Open the file with svc dashboard FILE, which has no deadline`,
  );
}
