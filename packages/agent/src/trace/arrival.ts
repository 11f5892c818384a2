// Predicts whether a body of known length can arrive in time, so that a hopeless import is refused
// early.
import type { ApiError } from '@svc/serve';
import { failure } from '../failure.ts';

/** The time of a request is divided into this many parts. The rate is measured in each part. */
const PARTS = 30;
/** The number of parts before the first prediction. */
const PARTS_BEFORE_JUDGING = 3;

export type Arrival = {
  /**
   * Counts bytes that have arrived and been processed. Throws `request_timeout` once the rest can't
   * arrive in time.
   */
  take(bytes: number): void;
};

/**
 * Watches a body of `expected` bytes. Null means that the length is unknown, and nothing is
 * predicted. A body is refused if the rest would arrive after `requestMs` even at the best rate so
 * far. `now` is in milliseconds.
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

/** The message when the time for an import is up. */
export const IMPORT_TOO_SLOW =
  'Cannot import the trace: it did not arrive, or could not be checked, within the time limit of a request. Open the file with svc dashboard FILE, which has no time limit';

function tooSlow(bytes: number, neededMs: number, requestMs: number): ApiError {
  const [needed, limit] = [neededMs, requestMs].map((ms) => `${Math.ceil(ms / 1_000)} s`);
  const size = `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
  return failure(
    'request_timeout',
    `Cannot import the trace: its ${size} would take about ${needed} at the present rate, and a request may take ${limit}. Open the file with svc dashboard FILE, which has no time limit`,
  );
}
