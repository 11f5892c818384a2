// POST /api/trace: writes the body to an unlinked file and checks it while it arrives. A profile or a
// gzip file is converted when it has arrived. Only a complete, valid trace is retained.
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { SNIFF_BYTES } from '@svc/trace';
import { failure } from '../failure.ts';
import { reasonNotStored } from '../storage/no-room.ts';
import { makeFolders, openUnlinked } from '../storage/recording-file.ts';
import type { StartWorker } from '../work/start-worker.ts';
import { untilAborted } from '../work/until-aborted.ts';
import { adviseFolded } from './advise-folded.ts';
import { watchArrival } from './arrival.ts';
import { checkTrace } from './check-trace.ts';
import { convertSpool, needsConversion } from './convert-spool.ts';
import { tooLarge, tooSlow } from './import-errors.ts';
import { type RetainedTrace, spooledTrace } from './retained-trace.ts';
import type { TraceRole } from './trace-thread.ts';

export type ImportOptions = {
  readonly dataDir: string;
  readonly limitBytes: number;
  /** The length of the body, from its head. Null if unknown. */
  readonly expectedBytes: number | null;
  /** Milliseconds that the request may take. */
  readonly requestMs: number;
  readonly startWorker: StartWorker<TraceRole>;
  /** Aborts the import. Nothing remains. */
  readonly signal: AbortSignal;
};

/**
 * The most bytes that are written, and passed to the thread that checks, at a time. A body arrives
 * in chunks of at most 64 KiB.
 */
const BLOCK_BYTES = 1024 * 1024;

/**
 * A block that is not full after this time is checked nevertheless, so that a slow client learns of
 * an error early.
 */
const BLOCK_MS = 250;

/**
 * Imports a trace. Rejects with the codes of the route. If it rejects, the spool is closed and
 * thereby deleted.
 */
export async function importTrace(
  body: Readable,
  name: string,
  options: ImportOptions,
): Promise<RetainedTrace> {
  await using check = checkTrace(options.startWorker);
  const spool = await whereThereIsRoom(() => {
    makeFolders(options.dataDir);
    return openUnlinked(options.dataDir, 'import');
  });
  let head: Uint8Array = new Uint8Array(0);
  try {
    let kept = 0;
    let converts = false;
    for await (const block of blocksUntil(body, options)) {
      if (kept === 0) converts = needsConversion(block);
      if (kept < SNIFF_BYTES) head = Buffer.concat([head, block]).subarray(0, SNIFF_BYTES);
      await writeAll(spool, block, kept);
      kept += block.length;
      if (!converts) await check.push(block);
    }
    if (converts) {
      const converted = await whereThereIsRoom(() => convertSpool(spool, options));
      await spool.close();
      return spooledTrace(converted.spool, { name, origin: 'import', path: null }, converted.facts);
    }
    const facts = await untilAborted(check.finish(), options.signal, tooSlow);
    return spooledTrace(spool, { name, origin: 'import', path: null }, facts);
  } catch (error) {
    await spool.close();
    throw adviseFolded(error, head);
  }
}

async function whereThereIsRoom<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const why = reasonNotStored(error);
    if (why === null) throw error;
    throw failure('storage_full', `Cannot keep the trace: ${why}`, { cause: error });
  }
}

async function writeAll(spool: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  await whereThereIsRoom(async () => {
    let at = 0;
    while (at < chunk.length) {
      const { bytesWritten } = await spool.write(chunk, at, null, position + at);
      at += bytesWritten;
    }
  });
}

/** Collects a body into blocks. Throws `trace_too_large` and `request_timeout`. */
async function* blocksUntil(
  body: Readable,
  { limitBytes, expectedBytes, requestMs, signal }: ImportOptions,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const arrival = watchArrival(expectedBytes, requestMs);
  let block = new Uint8Array(BLOCK_BYTES);
  let filled = 0;
  let began = performance.now();
  let bytes = 0;
  for await (const chunk of chunksUntil(body, signal)) {
    arrival.take(chunk.length);
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    const isOld = filled > 0 && performance.now() - began >= BLOCK_MS;
    if (isOld || filled + chunk.length > block.length) {
      yield block.subarray(0, filled);
      block = new Uint8Array(Math.max(BLOCK_BYTES, chunk.length));
      filled = 0;
    }
    if (filled === 0) began = performance.now();
    block.set(chunk, filled);
    filled += chunk.length;
  }
  yield block.subarray(0, filled);
}

/**
 * The chunks of a body until it ends or the signal aborts. Unlike `for await` over the body itself,
 * this leaves the body open. Destroying a request closes its connection, and the client could not
 * read the refusal.
 */
async function* chunksUntil(body: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const iterator = body.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const step: IteratorResult<unknown> = await untilAborted(iterator.next(), signal, tooSlow);
      if (step.done === true) return;
      if (Buffer.isBuffer(step.value)) yield step.value;
    }
  } finally {
    // Releases the body, so that the rest can be read and discarded. Not awaited, because an
    // abandoned step is still running.
    void iterator.return?.();
  }
}
