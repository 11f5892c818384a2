// Surveys the first part of a folded file: how many lines are stacks, and how many counts they have.
import { type Count, parseCount } from './parse-count.ts';

const LF = 10;
const CR = 13;
const TAB = 9;
const SPACE = 32;
const HASH = 35;
const SLASH = 47;

export type Survey = { readonly stacks: number; readonly others: number; readonly counts: 1 | 2 };

/** Two counts if at least nine of ten stacks end in two numbers. Otherwise a number before the count is part of the frame. */
export function surveyLines(bytes: Uint8Array): Survey {
  const count: Count = { value: 0, decimals: 0, start: 0 };
  let one = 0;
  let two = 0;
  let others = 0;
  for (let from = 0; from < bytes.length; ) {
    const lf = bytes.indexOf(LF, from);
    const lineEnd = lf < 0 ? bytes.length : lf;
    const end = trimmedEnd(bytes, from, lineEnd);
    if (end > from && !isComment(bytes, from, end)) {
      if (parseCount(bytes, from, end, count) !== null) others++;
      else if (parseCount(bytes, from, trimmedEnd(bytes, from, count.start), count) !== null) one++;
      else two++;
    }
    from = lineEnd + 1;
  }
  return { stacks: one + two, others, counts: two > 0 && two >= 9 * one ? 2 : 1 };
}

/** The end of a line without its trailing carriage return and blanks. */
export function trimmedEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at > start) {
    const byte = bytes[at - 1];
    if (byte !== CR && byte !== SPACE && byte !== TAB) break;
    at--;
  }
  return at;
}

/** Whether a line starts with `#` or `//`. */
export function isComment(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes[start] === HASH) return true;
  return end - start >= 2 && bytes[start] === SLASH && bytes[start + 1] === SLASH;
}
