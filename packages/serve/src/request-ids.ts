// Creates request ids from a random prefix for the process and a counter.
import { randomBytes } from 'node:crypto';

const START_BYTES = 6;
const COUNT_CHARACTERS = 8;

/** The length of every id. */
export const REQUEST_ID_CHARACTERS = 2 * START_BYTES + 1 + COUNT_CHARACTERS;

/** Creates ids, each of `REQUEST_ID_CHARACTERS` ASCII letters, digits and `-`. */
export function countRequests(): () => string {
  const start = randomBytes(START_BYTES).toString('hex');
  let count = 0;
  return () => `${start}-${(++count).toString(36).padStart(COUNT_CHARACTERS, '0')}`;
}
