// Reads a trace from a file or from the agent in pieces, with progress. It can be cancelled between pieces.
import { AgentError, exportTrace } from '@svc/contracts/agent';
import { expandGzip } from '@svc/trace';
import { agentClient } from '../client/agent-client.ts';
import type { TraceOrigin } from '../client/trace-calls.ts';
import { gunzip } from './gunzip.ts';
import { LoadedTrace } from './loaded-trace.ts';
import { checkBytes, OPEN_LIMITS, outOfMemory } from './open-limits.ts';

/** What a long call receives: a signal that cancels it, and a function that reports progress in bytes. */
export type Job = {
  readonly signal: AbortSignal;
  progress(done: number, total: number | null): void;
};

/** The shortest time between two progress reports. */
const PROGRESS_MS = 80;

/** Reads a trace to its end. Throws TraceError, TooBigError, AgentError or the signal's abort reason. */
export async function loadTrace(origin: TraceOrigin, job: Job): Promise<LoadedTrace> {
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

/** Fetches the bytes that were added to the agent's trace since the last call. Returns false if there are none. */
export async function fetchMore(
  trace: LoadedTrace,
  token: string,
  growing: boolean,
  job: Job,
): Promise<boolean> {
  const answer = await exportTrace(agentClient(token), trace.bytes, job.signal);
  if (answer === null || answer.body === null) return false;
  if (answer.from !== trace.bytes)
    throw new AgentError(
      'unreadable',
      'The agent sent a different part of the trace than requested',
    );
  const length = Number(answer.response.headers.get('content-length'));
  const before = trace.bytes;
  const total = Number.isFinite(length) && length > 0 ? before + length : null;
  await pump(trace, answer.body, job, total);
  if (!answer.partial || !growing) trace.finish();
  trace.revision++;
  return trace.bytes > before;
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
function letMessagesIn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

async function pump(
  trace: LoadedTrace,
  stream: ReadableStream<Uint8Array>,
  job: Job,
  total: number | null,
): Promise<void> {
  const reader = stream.getReader();
  let reported = 0;
  try {
    for (;;) {
      job.signal.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) return;
      const chunk = value as Uint8Array<ArrayBuffer>;
      trace.pieces.push(new Blob([chunk]));
      trace.push(chunk);
      const now = performance.now();
      if (now - reported > PROGRESS_MS) {
        reported = now;
        job.progress(trace.bytes, total);
        await letMessagesIn();
      }
    }
  } finally {
    reader.releaseLock();
    await stream.cancel().catch(() => undefined);
  }
}
