// The description of the retained trace.
import { type Static, Type } from 'typebox';
import { nullable } from './nullable.ts';

/** The origin of a trace's records. */
export const TraceSource = Type.Union([
  Type.Literal('native'),
  Type.Literal('browser'),
  Type.Literal('import'),
]);
export type TraceSource = Static<typeof TraceSource>;

/**
 * The retained trace: recorded by this session, imported over the API, or opened at the start. `records` and `bytes`
 * include the notes that were added to it, as an export does.
 */
export const TraceSummary = Type.Object({
  /**
   * Identifies the trace within the session. It stays the same while a recording grows, after its end, and when notes
   * are added. Each import, capture and opened file has another one.
   */
  id: Type.String(),
  name: Type.String(),
  origin: Type.Union([Type.Literal('capture'), Type.Literal('import'), Type.Literal('file')]),
  /** The path of the file. Null for an import, which is kept in an unlinked file. */
  path: nullable(Type.String()),
  sources: Type.Array(TraceSource),
  started_at: nullable(Type.String()),
  /** The number of records, which is the number of lines without the header. */
  records: Type.Integer({ minimum: 0 }),
  /** The number of asset records. */
  assets: Type.Integer({ minimum: 0 }),
  bytes: Type.Integer({ minimum: 0 }),
  /** Milliseconds to the end of the latest record. Null without records. */
  duration_ms: nullable(Type.Number({ minimum: 0 })),
  /**
   * Whether the recording is incomplete: the capture continues (even after a cap has ended the
   * file), or the clean `end` is missing.
   */
  partial: Type.Boolean(),
  /** Whether the storage cap or a full disk cut it short. */
  truncated: Type.Boolean(),
  /** Bytes of an incomplete last line, which is left out. */
  torn_bytes: Type.Integer({ minimum: 0 }),
  /**
   * Increases with each change of the notes that the agent keeps in memory beside an imported trace or an opened file. 0 for a
   * recording, whose notes are records of its file.
   */
  notes_revision: Type.Integer({ minimum: 0 }),
});
export type TraceSummary = Static<typeof TraceSummary>;

/** A recording on disk, as reported at the end of a session. */
export const WrittenTrace = Type.Object({
  path: Type.String(),
  bytes: Type.Integer({ minimum: 0 }),
  truncated: Type.Boolean(),
});
export type WrittenTrace = Static<typeof WrittenTrace>;
