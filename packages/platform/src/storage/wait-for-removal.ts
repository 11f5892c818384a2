// Waits for the removal of files after a deletion, for a limited time.
import { setTimeout } from 'node:timers/promises';

/** Far below the time limit of a request. */
const WAIT_MS = 5000;

/**
 * Waits for the removal of the files. The deletion is committed already: a removal that takes longer goes on in the background,
 * and the upkeep repeats one that fails.
 */
export async function waitForRemoval(removal: Promise<void>): Promise<void> {
  const done = new AbortController();
  const waited = setTimeout(WAIT_MS, undefined, { signal: done.signal }).catch(() => {});
  await Promise.race([removal.catch(() => {}), waited]);
  done.abort();
}
