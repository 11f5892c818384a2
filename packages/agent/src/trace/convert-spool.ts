// Converts an imported profile or frame log, which is in a spool as it arrived, into a second spool as `.vpt`.
import type { FileHandle } from 'node:fs/promises';
import { isConvertedFormat, sniffFormat, type TraceFacts } from '@svc/trace';
import { openUnlinked } from '../storage/recording-file.ts';
import type { StartWorker } from '../work/start-worker.ts';
import { faultError } from './check-trace.ts';
import { tooLarge, tooSlow } from './import-errors.ts';
import { fillSpool } from './open-file.ts';
import type { TraceRole } from './trace-thread.ts';

type ConvertOptions = {
  readonly dataDir: string;
  readonly limitBytes: number;
  readonly startWorker: StartWorker<TraceRole>;
  readonly signal: AbortSignal;
};

/** Whether an import that starts with `head` is converted when it has arrived: a profile, a frame log or a gzip file. */
export function needsConversion(head: Uint8Array): boolean {
  if (head[0] === 0x1f && head[1] === 0x8b) return true;
  return isConvertedFormat(sniffFormat(head));
}

/** Returns the new spool and its facts. Rejects with the codes of the route; then only the first spool remains. */
export async function convertSpool(
  arrived: FileHandle,
  { dataDir, limitBytes, startWorker, signal }: ConvertOptions,
): Promise<{ readonly spool: FileHandle; readonly facts: TraceFacts }> {
  const spool = await openUnlinked(dataDir, 'import');
  try {
    const role = {
      role: 'open',
      descriptor: arrived.fd,
      spool: spool.fd,
      limit: limitBytes,
    } as const;
    // Rejects after the thread has ended, so that the thread never writes to a closed spool.
    const answer = await fillSpool(role, { startWorker, signal }).catch((error: unknown) => {
      throw signal.aborted ? tooSlow() : error;
    });
    if ('fault' in answer) throw faultError(answer.fault);
    if (answer.result === undefined) throw tooLarge(limitBytes);
    return { spool, facts: answer.result };
  } catch (error) {
    await spool.close();
    throw error;
  }
}
