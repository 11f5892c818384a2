// POST /api/trace: raw text comes in, is spooled to an unlinked file and checked as it streams; only whole it is retained.
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { ApiError } from '@svc/serve';
import { makeFolders, openUnlinked } from '../capture/recording-file.ts';
import { whyNotKept } from '../no-room.ts';
import type { StartWorker } from '../work/start-worker.ts';
import { adviseFolded } from './advise-folded.ts';
import { checkTrace } from './check-trace.ts';
import { type RetainedTrace, spooledTrace } from './retained-trace.ts';

export type ImportOptions = {
  readonly dataDir: string;
  readonly limitBytes: number;
  readonly startWorker: StartWorker;
  /** Gives up; nothing is left behind. */
  readonly signal: AbortSignal;
};

/** Reads a trace to its end. Rejects with the codes of the route; the spool is closed, and so gone, unless it resolves. */
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
    let bytes = 0;
    for await (const chunk of chunksUntil(body, options.signal)) {
      if (bytes === 0) head = chunk;
      if (bytes + chunk.length > options.limitBytes) throw tooLarge(options.limitBytes);
      await Promise.all([writeAll(spool, chunk, bytes), check.push(chunk)]);
      bytes += chunk.length;
    }
    const facts = await settledUntil(check.finish(), options.signal);
    return spooledTrace(spool, { name, origin: 'import', path: null }, facts);
  } catch (error) {
    await spool.close();
    throw adviseFolded(error, head);
  }
}

/** The error for a trace over the limit; it names the limit. */
export function tooLarge(limitBytes: number): ApiError {
  return new ApiError(
    'trace_too_large',
    `Cannot import the trace: it is larger than ${limitBytes} bytes, the limit that --import-limit sets`,
  );
}

async function whereThereIsRoom<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const why = whyNotKept(error);
    if (why === null) throw error;
    throw new ApiError('storage_full', `Cannot keep the trace: ${why}`, { cause: error });
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

/**
 * The chunks of a body until it ends or the signal says so. Unlike `for await` over the body itself it leaves the body
 * open: destroying a request takes its connection away, and the client could not read why it was refused.
 */
async function* chunksUntil(body: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const iterator = body.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const step: IteratorResult<unknown> = await settledUntil(iterator.next(), signal);
      if (step.done === true) return;
      if (Buffer.isBuffer(step.value)) yield step.value;
    }
  } finally {
    // Lets go of the body, so that the rest can be read away. Not awaited: a step that was given up is still under way.
    void iterator.return?.();
  }
}

async function settledUntil<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stop = Promise.withResolvers<never>();
  const abort = (): void =>
    stop.reject(new ApiError('request_timeout', 'Cannot import the trace: its time is up'));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, stop.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
