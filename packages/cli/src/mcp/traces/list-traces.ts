// Lists the traces that `svc mcp` may read, newest first.
import type { Stats } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SNIFF_BYTES, sniffFormat, type TraceFormat } from '@svc/trace';
import { ENTRIES_SEARCHED, SEARCH_DEPTH, TRACE_BYTES } from '../limits.ts';
import { findTrace, isTraceName, realpathOf } from './find-trace.ts';
import { openFile } from './open-file.ts';
import type { TracePlace } from './trace-places.ts';

type ListedTrace = {
  readonly id: string;
  readonly bytes: number;
  /** In ms since 1970. */
  readonly modified: number;
  /** `gzip` is a compressed file, whose format is known after it is expanded. */
  readonly format: TraceFormat | 'gzip';
  /** False while its recording still runs, or if that was killed. */
  readonly finished: boolean;
};

/**
 * `too_large` is the number of files beyond TRACE_BYTES, which are not listed. `left_out` is the number of older files that were not
 * looked at: they may be no traces. `searched_all` is false if a folder has too many files to look at all.
 */
export type TraceList = {
  readonly traces: readonly ListedTrace[];
  readonly too_large: number;
  readonly left_out: number;
  readonly searched_all: boolean;
};

/** Files of JSON that are no traces are not listed, and links are not followed. Rejects if the signal is aborted. */
export async function listTraces(
  places: readonly TracePlace[],
  cwd: string,
  limit: number,
  signal: AbortSignal,
): Promise<TraceList> {
  const search = new Search(signal);
  for (const { path, kind } of places) {
    if (kind === 'file') await search.add(path);
    else await search.folder((await realpathOf(path)) ?? path, 0);
  }
  const all = [...search.files].sort(([, a], [, b]) => b.mtimeMs - a.mtimeMs);
  const files = all.filter(([, { size }]) => size <= TRACE_BYTES);
  const traces: ListedTrace[] = [];
  let looked = 0;
  for (const [path] of files) {
    if (traces.length >= limit) break;
    signal.throwIfAborted();
    looked++;
    const trace = await describe(places, cwd, path);
    if (trace !== null && traces.every(({ id }) => id !== trace.id)) traces.push(trace);
  }
  return {
    traces,
    too_large: all.length - files.length,
    left_out: files.length - looked,
    searched_all: !search.isOver,
  };
}

class Search {
  readonly files = new Map<string, Stats>();
  isOver = false;
  #left = ENTRIES_SEARCHED;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async folder(path: string, depth: number): Promise<void> {
    const entries = await opendir(path).catch(() => []);
    for await (const entry of entries) {
      this.#signal.throwIfAborted();
      if (this.#left-- <= 0) {
        this.isOver = true;
        return;
      }
      const inner = join(path, entry.name);
      if (entry.isFile() && isTraceName(entry.name)) await this.add(inner);
      if (!entry.isDirectory() || entry.name.startsWith('.') || entry.name === 'node_modules') {
        continue;
      }
      if (depth < SEARCH_DEPTH) await this.folder(inner, depth + 1);
      else this.isOver = true;
    }
  }

  async add(path: string): Promise<void> {
    const stats = await stat(path).catch(() => null);
    if (stats !== null) this.files.set(path, stats);
  }
}

/** Null if the file is no trace by its first bytes, or not readable. */
async function describe(
  places: readonly TracePlace[],
  cwd: string,
  path: string,
): Promise<ListedTrace | null> {
  try {
    const found = await findTrace(places, cwd, path);
    const head = await readHead(found.path);
    const isGzip = head[0] === 0x1f && head[1] === 0x8b;
    const format = isGzip ? 'gzip' : sniffFormat(head);
    if (format === 'folded' && path.toLowerCase().endsWith('.json')) return null;
    return {
      ...{ id: found.id, bytes: found.stats.size, modified: found.stats.mtimeMs, format },
      finished: !path.endsWith('.partial'),
    };
  } catch {
    return null;
  }
}

async function readHead(path: string): Promise<Uint8Array> {
  await using file = await openFile(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}
