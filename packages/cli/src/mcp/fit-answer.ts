// Keeps an answer within its size: rows are removed from the ends of its lists, and the answer states how many are missing.
import { ANSWER_BYTES, TEXT_BYTES } from './limits.ts';

/** A list of an answer. `rows` is the array in the answer, from which the last rows can be removed. */
export type AnswerList = {
  readonly part: string;
  readonly rows: unknown[];
  /** The number of all rows, those of a longer list that the answer does not have included. */
  readonly total: number;
  /** How to get the missing ones. `kept` is the number of rows in the answer. */
  readonly how: (kept: number) => string;
};

export type LeftOut = { readonly part: string; readonly count: number; readonly how: string };

/** For the statements about what is left out. */
const RESERVE_BYTES = 2_000;

/** Removes rows until the JSON of `answer` fits, from the list that takes the most bytes first. Returns what is left out. */
export function fitAnswer(answer: object, lists: readonly AnswerList[]): LeftOut[] {
  const most = ANSWER_BYTES - TEXT_BYTES - RESERVE_BYTES;
  const sizes = lists.map(({ rows }) => rows.map((row) => bytesOf(row) + 1));
  const sums = sizes.map((list) => list.reduce((sum, bytes) => sum + bytes, 0));
  let bytes = bytesOf(answer);
  while (bytes > most) {
    const largest = sums.indexOf(Math.max(...sums));
    const last = sizes[largest]?.pop();
    if (last === undefined) break;
    lists[largest]?.rows.pop();
    sums[largest] = (sums[largest] ?? 0) - last;
    bytes -= last;
  }
  return lists.flatMap(({ part, rows, total, how }) =>
    total > rows.length ? [{ part, count: total - rows.length, how: how(rows.length) }] : [],
  );
}

/** Joins lines to a text of at most TEXT_BYTES. */
export function fitText(lines: readonly string[]): string {
  let text = '';
  for (const line of lines) {
    const next = text === '' ? line : `${text}\n${line}`;
    if (Buffer.byteLength(next) > TEXT_BYTES - 4) return `${text}\n…`;
    text = next;
  }
  return text;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
