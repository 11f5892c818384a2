// Where notes are inserted into the bytes of a complete or partial trace: before its `end`, or after its last line.
import { LINE_BYTES } from '../format/limits.ts';

/** Reads the bytes of a `.vpt` file from `from` to, but not including, `to`. */
export type ReadBytes = (from: number, to: number) => Promise<Uint8Array>;

/** `at` is an offset in the file. `before` is text that must be written before the notes. */
export type NotePlace = { readonly at: number; readonly before: '' | '\n' };

const LF = 10;

/**
 * Returns where lines can be inserted into a valid `.vpt` file of `bytes` bytes, of which the last `torn` are ignored
 * (`torn_bytes` of its reader). All bytes of the file stay, and so does the state of its end: a clean `end` stays the last line, and torn
 * bytes stay torn. It reads at most one line of the longest length.
 */
export async function findNotePlace(
  read: ReadBytes,
  bytes: number,
  torn: number,
): Promise<NotePlace> {
  const end = bytes - torn;
  const from = Math.max(0, end - LINE_BYTES - 2);
  const window = await read(from, end);
  const isWhole = window.at(-1) === LF;
  const line = isWhole ? window.subarray(0, -1) : window;
  const start = from + line.lastIndexOf(LF) + 1;
  // The header is never an end, also if it is the only line.
  if (start > 0 && isEnd(line.subarray(start - from))) return { at: start, before: '' };
  // The notes come after every line that counts, because the last version of a note is the one in force.
  return { at: end, before: isWhole ? '' : '\n' };
}

function isEnd(line: Uint8Array): boolean {
  const record: unknown = JSON.parse(new TextDecoder().decode(line));
  return Reflect.get(Object(record), 'type') === 'end';
}
