// Reads the trace that the agent holds, with progress. It can be cancelled between pieces.
import { AgentError, exportTrace } from '@svc/contracts/agent';
import { agentClient } from '../client/agent-client.ts';
import { type FetchMore, type Job, letMessagesIn } from './load.ts';
import type { LoadedTrace } from './loaded-trace.ts';

/** The shortest time between two progress reports. */
const PROGRESS_MS = 80;

export const fetchMore: FetchMore = async (trace, token, growing, job) => {
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
};

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
