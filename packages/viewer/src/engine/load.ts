// Reads a trace in pieces, with progress. It can be cancelled between pieces.
import { expandGzip } from '@svc/trace';
import type { TraceOrigin } from '../client/trace-calls.ts';
import { gunzip } from './gunzip.ts';
import { LoadedTrace } from './loaded-trace.ts';
import { checkBytes, OPEN_LIMITS, outOfMemory } from './open-limits.ts';

/** What a long call receives: a signal that cancels it, and a function that reports progress in bytes. */
export type Job = {
  readonly signal: AbortSignal;
  progress(done: number, total: number | null): void;
};

/**
 * Fetches the bytes that were added to the agent's trace since the last call. Returns false if there are none. Throws
 * TraceError, AgentError or the signal's abort reason.
 */
export type FetchMore = (
  trace: LoadedTrace,
  token: string,
  growing: boolean,
  job: Job,
) => Promise<boolean>;

/**
 * Reads a trace to its end. Throws TraceError, TooBigError, the signal's abort reason, or an error of `fetchMore`, which
 * reads the trace of an agent.
 */
export async function loadTrace(
  origin: TraceOrigin,
  job: Job,
  fetchMore: FetchMore,
): Promise<LoadedTrace> {
  const trace = new LoadedTrace(origin);
  try {
    if (origin.kind === 'file') {
      checkBytes(origin.file.size, OPEN_LIMITS);
      await readSlices(origin.file, job, (chunk) => trace.push(chunk));
      trace.finish();
    } else await fetchMore(trace, origin.token, origin.growing, job);
  } catch (error) {
    throw error instanceof RangeError ? outOfMemory(trace.bytes) : error;
  }
  return trace;
}

/** The size of a piece of a file. The next piece is read while one is parsed. */
const SLICE_BYTES = 4 * 1024 * 1024;

/** Passes a file to `take` in pieces, expanded if it is a gzip file. Throws TraceError and the signal's abort reason. */
export async function readSlices(
  file: Blob,
  job: Job,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  for await (const chunk of expandGzip(slicesOf(file, job), gunzip, OPEN_LIMITS.bytes)) {
    job.signal.throwIfAborted();
    take(chunk);
  }
}

async function* slicesOf(file: Blob, job: Job): AsyncGenerator<Uint8Array> {
  const slice = (at: number): Promise<ArrayBuffer> =>
    file.slice(at, at + SLICE_BYTES).arrayBuffer();
  let coming = slice(0);
  for (let at = 0; at < file.size; at += SLICE_BYTES) {
    const chunk = new Uint8Array(await coming);
    job.signal.throwIfAborted();
    coming = slice(at + SLICE_BYTES);
    yield chunk;
    job.progress(Math.min(file.size, at + SLICE_BYTES), file.size);
    await letMessagesIn();
  }
}

/** Lets pending messages be handled: a cancellation, or a view to draw. */
export function letMessagesIn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
