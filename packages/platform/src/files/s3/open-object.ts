// Reads an object in large ranges, because a request for each small piece would take too long.
import type { OpenFile } from '../file-store.ts';
import type { StoreConnection } from './connect-store.ts';
import { readRange } from './read-range.ts';

/** A file of this size is read with one request. Most files of games are smaller. */
const FIRST_BYTES = 1024 * 1024;
const WINDOW_BYTES = 2 * 1024 * 1024;

/** A range of the object, in memory or on its way. */
type Window = { readonly start: number; readonly end: number; readonly bytes: Promise<Buffer> };

/** Opens an object with one request, which also reads its start. Throws a `MissingFileError` if there is none. */
export async function openObject(store: StoreConnection, key: string): Promise<OpenFile> {
  const closing = new AbortController();
  const { signal } = closing;
  const first = await readRange(store, { key, start: 0, end: FIRST_BYTES }, signal);
  const { total } = first;
  const windowAt = createWindows(first.bytes, total, (start, end) =>
    readRange(store, { key, start, end }, signal).then((part) => part.bytes),
  );
  return {
    bytes: total,
    async read(buffer, position) {
      let done = 0;
      while (done < buffer.byteLength && position + done < total) {
        const window = windowAt(position + done);
        const from = position + done - window.start;
        done += (await window.bytes).copy(buffer, done, from);
      }
      return done;
    },
    async close() {
      closing.abort();
    },
  };
}

/**
 * Returns a function for the window that contains a position inside of an object of `total` bytes. It keeps the window that
 * was used last, and fetches the next one when the second half is used. So at most two are in memory.
 */
function createWindows(
  firstBytes: Buffer,
  total: number,
  fetchBytes: (start: number, end: number) => Promise<Buffer>,
): (position: number) => Window {
  let held: Window[] = [{ start: 0, end: firstBytes.length, bytes: Promise.resolve(firstBytes) }];
  const fetchWindow = (start: number): Window => {
    const end = Math.min(start + WINDOW_BYTES, total);
    const window = { start, end, bytes: fetchBytes(start, end) };
    // A later read tries again. One that was read ahead may have no reader.
    window.bytes.catch(() => {
      held = held.filter((one) => one !== window);
    });
    return window;
  };
  return (position) => {
    const isInside = ({ start, end }: Window): boolean => position >= start && position < end;
    const current = held.find(isInside) ?? fetchWindow(position);
    const { start, end } = current;
    let next = held.find((one) => one.start === end);
    if (end < total && position >= (start + end) / 2) next ??= fetchWindow(end);
    held = next === undefined ? [current] : [current, next];
    return current;
  };
}
