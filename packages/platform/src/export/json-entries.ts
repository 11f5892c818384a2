// Entries of an export with JSON and text. Lists are read page by page while they are written.
import type { StreamedFile } from '@svc/game-build';

/** A page of a list. `next_cursor` is null at its end. */
type ListPage = { readonly items: readonly unknown[]; readonly next_cursor: string | null };

/** Returns an entry with a text. */
export function textEntry(path: string, text: string): StreamedFile {
  return bytesEntry(path, Buffer.from(text));
}

/** Returns an entry with bytes. */
export function bytesEntry(path: string, bytes: Uint8Array): StreamedFile {
  return { path, content: once(bytes) };
}

/** Returns an entry with a value as JSON. */
export function jsonEntry(path: string, value: unknown): StreamedFile {
  return textEntry(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Returns an entry with a JSON array, whose pages are read one after another. */
export function listEntry(
  path: string,
  readPage: (cursor: string | undefined) => Promise<ListPage>,
): StreamedFile {
  return { path, content: listOf(readPage) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* listOf(
  readPage: (cursor: string | undefined) => Promise<ListPage>,
): AsyncGenerator<Uint8Array> {
  let before = '[\n';
  let cursor: string | undefined;
  do {
    const { items, next_cursor } = await readPage(cursor);
    for (const item of items) {
      yield Buffer.from(`${before}${JSON.stringify(item)}`);
      before = ',\n';
    }
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
  yield Buffer.from(before === '[\n' ? '[]\n' : '\n]\n');
}
