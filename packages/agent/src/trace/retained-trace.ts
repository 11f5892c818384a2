// The one trace that a session holds: its bytes and its summary.

import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { TraceSummary } from '@svc/contracts/agent';
import type { TraceFacts } from '@svc/trace';
import type { Recording } from '../capture/recording.ts';
import { type FileLease, SharedFile } from './shared-file.ts';

export type RetainedTrace = {
  readonly summary: TraceSummary;
  /** Opens the current bytes, to be read from the lease's descriptor. Null after release. */
  open(): { readonly lease: FileLease; readonly bytes: number } | null;
  release(): Promise<void>;
};

/** A session, for code that only reads its trace. */
export type TraceHolder = {
  /** The trace that the session holds now, or null. */
  readonly retained: RetainedTrace | null;
};

/** A trace that was imported or opened from a file. It does not change. */
export function spooledTrace(
  handle: FileHandle,
  about: Pick<TraceSummary, 'name' | 'origin' | 'path'>,
  facts: TraceFacts,
): RetainedTrace {
  const file = new SharedFile(handle);
  const summary: TraceSummary = {
    id: randomUUID(),
    ...about,
    ...facts,
    sources: [...facts.sources],
  };
  return {
    summary,
    open: () => {
      const lease = file.lease();
      return lease === null ? null : { lease, bytes: facts.bytes };
    },
    release: () => file.release(),
  };
}

/** The trace of the running capture. It grows. */
export function recordedTrace(recording: Recording): RetainedTrace {
  const id = randomUUID();
  const file = new SharedFile(recording.handle, () => recording.release());
  return {
    get summary() {
      return { id, ...recording.summary };
    },
    open: () => {
      const lease = file.lease();
      return lease === null ? null : { lease, bytes: recording.bytes };
    },
    release: () => file.release(),
  };
}
