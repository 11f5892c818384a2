// The traces that the worker holds: where one comes from, what is known about it, and the calls that open and close it.
import type { Header, NoteRecord, Source, TraceFormat } from '@svc/trace';
import type { Call } from './worker-messages.ts';

/** The open trace, and the one that it is compared with. */
export type Slot = 'main' | 'other';

/** Where a trace's bytes come from: a file that the user opened, or the trace that the agent holds. */
export type TraceOrigin =
  | {
      readonly kind: 'file';
      /** The id that the page gives to the file. */
      readonly id: string;
      readonly name: string;
      readonly file: Blob;
    }
  | {
      readonly kind: 'agent';
      /** The id from the agent's status. */
      readonly id: string;
      readonly name: string;
      readonly token: string;
      /** Whether a capture is adding to it. Its end is then not checked yet. */
      readonly growing: boolean;
    };

/** What is known about an open trace before any view of it. */
export type TraceInfo = {
  /** Identifies the trace in this page. It stays the same while the trace grows. */
  readonly id: string;
  readonly name: string;
  readonly origin: 'file' | 'agent';
  readonly format: TraceFormat;
  readonly producer: string | null;
  readonly target: string | null;
  /** The digest of the recorded build of the game, or null if the trace does not name it. */
  readonly build: string | null;
  /** The graphics adapter, or null if the trace does not name it. */
  readonly gpu: { readonly name: string; readonly software: boolean } | null;
  /** The machine of the recording, or null if the trace does not describe it. */
  readonly machine: NonNullable<Header['machine']> | null;
  readonly sources: readonly Source[];
  /** An ISO time, or null if unknown. */
  readonly startedAt: string | null;
  readonly records: number;
  /** The number of records by type. Types that do not occur are absent. */
  readonly counts: Readonly<Record<string, number>>;
  /** The notes in its bytes, by time. */
  readonly notes: readonly NoteRecord[];
  readonly bytes: number;
  /** Whether the file is compressed. Then `bytes` are its expanded bytes. */
  readonly compressed: boolean;
  readonly durationMs: number;
  /** Whether a clean end is missing: the trace is still growing, its recorder was killed, or the file is torn. */
  readonly partial: boolean;
  /** Why the recording was cut short; null if it was not. */
  readonly truncated: string | null;
  /** Samples whose inner frames had no room in this page's call trees. */
  readonly leftOutSamples: number;
  readonly endReason: string | null;
  readonly tornBytes: number;
  readonly skipped: readonly { readonly line: number; readonly reason: string }[];
  readonly skippedLines: number;
  /** Whether its samples have two weights, before and after. */
  readonly twoWeights: boolean;
  /** Increases each time the trace grows. */
  readonly revision: number;
};

export type TraceCalls = {
  /** Reads a trace into a slot. The previous trace stays until the new one is read completely. */
  readonly open: Call<{ readonly slot: Slot; readonly origin: TraceOrigin }, TraceInfo>;
  /** Reads what the agent's trace has grown by. Returns null if there is nothing new. */
  readonly grow: Call<{ readonly token: string; readonly growing: boolean }, TraceInfo | null>;
  readonly close: Call<{ readonly slot: Slot }, null>;
  /** Returns the trace as `.vpt`: its original bytes, or the conversion of a file in another format, with notes added. */
  readonly vpt: Call<{ readonly slot: Slot; readonly notes: readonly NoteRecord[] }, Blob>;
  /** Converts a file of any format to `.vpt`. It needs no open trace. */
  readonly convert: Call<{ readonly file: Blob }, Blob>;
};
