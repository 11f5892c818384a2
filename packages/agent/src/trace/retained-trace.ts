// The one trace that a session holds: its bytes and its summary.

import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { TraceSummary } from '@svc/contracts/agent';
import { findNotePlace, type NotePlace, type NoteRecord, type TraceFacts } from '@svc/trace';
import type { Recording } from '../capture/recording.ts';
import { failure } from '../failure.ts';
import { AddedNotes, type Insertion } from './added-notes.ts';
import { type FileLease, readRange, SharedFile } from './shared-file.ts';

export type RetainedTrace = {
  readonly summary: TraceSummary;
  /** The number of bytes of the file now. Notes that are kept beside it are not included. */
  readonly fileBytes: number;
  /** Opens the current bytes. Null after release. */
  open(): OpenTrace | null;
  /** Adds all of the notes, or none. Rejects with the codes of `POST /api/notes`. */
  addNotes(notes: readonly NoteRecord[]): Promise<void>;
  release(): Promise<void>;
};

/** The first `bytes` bytes of the lease's descriptor, and what an export inserts into them. */
type OpenTrace = {
  readonly lease: FileLease;
  readonly bytes: number;
  readonly insertion: Insertion | null;
};

/** A session, for code that only reads its trace. */
export type TraceHolder = {
  /** The trace that the session holds now, or null. */
  readonly retained: RetainedTrace | null;
};

/** A trace that was imported or opened from a file. The file does not change, and notes are kept beside it. */
export function spooledTrace(
  handle: FileHandle,
  about: Pick<TraceSummary, 'name' | 'origin' | 'path'>,
  facts: TraceFacts,
): RetainedTrace {
  const file = new SharedFile(handle);
  const notes = new AddedNotes(facts.sources, () => placeIn(file, facts));
  const id = randomUUID();
  const { bytes } = facts;
  return {
    get summary() {
      return notes.summarize({ id, ...about, ...facts, sources: [...facts.sources] });
    },
    fileBytes: bytes,
    open: () => {
      const lease = file.lease();
      return lease === null ? null : { lease, bytes, insertion: notes.insertion };
    },
    addNotes: (changes) => notes.add(changes),
    release: () => file.release(),
  };
}

/** Finds where notes are inserted. Rejects with `no_trace` after release. */
async function placeIn(file: SharedFile, { bytes, torn_bytes }: TraceFacts): Promise<NotePlace> {
  using lease = file.lease();
  if (lease === null) {
    throw failure('no_trace', 'Cannot add notes: the trace is no longer available');
  }
  return await findNotePlace((from, to) => readRange(lease, from, to), bytes, torn_bytes);
}

/** The trace of the running capture. It grows. */
export function recordedTrace(recording: Recording): RetainedTrace {
  const id = randomUUID();
  const file = new SharedFile(recording.handle, () => recording.release());
  return {
    get summary() {
      return { id, ...recording.summary };
    },
    get fileBytes() {
      return recording.bytes;
    },
    open: () => {
      const lease = file.lease();
      return lease === null ? null : { lease, bytes: recording.bytes, insertion: null };
    },
    addNotes: (notes) => recording.appendNotes(notes),
    release: () => file.release(),
  };
}
