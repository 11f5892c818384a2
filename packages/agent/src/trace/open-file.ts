// Opens the FILE of `svc dashboard` before the server listens. It is copied to a spool, as `.vpt` if it
// has another format.
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { messageOf } from '@svc/contracts/caught';
import type { TraceFacts } from '@svc/trace';
import { StartError } from '../start-error.ts';
import { openUnlinked } from '../storage/recording-file.ts';
import type { StartWorker } from '../work/start-worker.ts';
import { type RetainedTrace, spooledTrace } from './retained-trace.ts';
import type { TraceAnswer, TraceRole } from './trace-thread.ts';

export type OpenFileOptions = {
  readonly dataDir: string;
  readonly limitBytes: number;
  readonly startWorker: StartWorker<TraceRole>;
  /** Aborts the opening. Nothing remains. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Opens a file of any format. Throws a StartError: `unreadable_file`, or `invalid_file` with
 * `file:line:column`. Rejects with the signal's reason when it aborts.
 */
export async function openTraceFile(
  file: string,
  options: OpenFileOptions,
): Promise<RetainedTrace> {
  refuseUnreadable(file);
  const spool = await openUnlinked(options.dataDir, 'file');
  const path = resolve(file);
  const role = { role: 'open', path, spool: spool.fd, limit: options.limitBytes } as const;
  try {
    const answer = await fillSpool(role, options).catch((error: unknown) => {
      options.signal?.throwIfAborted();
      throw new StartError('unreadable_file', `Cannot open ${file}: ${messageOf(error)}`, error);
    });
    if ('fault' in answer) {
      const { line, column, message } = answer.fault;
      throw new StartError('invalid_file', `${file}:${line}:${column}: ${message}`);
    }
    if (answer.result === undefined) {
      const limit = `${options.limitBytes} bytes, the limit that --import-limit sets`;
      throw new StartError('invalid_file', `Cannot open ${file}: it is larger than ${limit}`);
    }
    return spooledTrace(spool, { name: basename(file), origin: 'file', path }, answer.result);
  } catch (error) {
    await spool.close();
    throw error;
  }
}

/** The facts of the trace in the spool, the fault of the file, or neither if the trace is too large. */
export type OpenAnswer =
  | Extract<TraceAnswer, { fault: unknown }>
  | { readonly result?: TraceFacts };

/** Fills the spool of the role in a thread. Rejects if the thread fails or the signal aborts. */
export async function fillSpool(
  role: Extract<TraceRole, { role: 'open' }>,
  { startWorker, signal }: Pick<OpenFileOptions, 'startWorker' | 'signal'>,
): Promise<OpenAnswer> {
  const worker = startWorker(role);
  try {
    const [answer]: OpenAnswer[] = await once(worker, 'message', { ...(signal && { signal }) });
    return answer ?? {};
  } finally {
    await worker.terminate();
  }
}

function refuseUnreadable(file: string): void {
  try {
    if (statSync(file).isFile()) return;
  } catch (error) {
    throw new StartError('unreadable_file', `Cannot open ${file}: ${messageOf(error)}`, error);
  }
  throw new StartError('unreadable_file', `Cannot open ${file}: it is not a regular file`);
}
