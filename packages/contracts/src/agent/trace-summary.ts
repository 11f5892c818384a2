// What is said about the retained trace without sending it.
import { type Static, Type } from 'typebox';
import { nullable } from './nullable.ts';

/** Where a trace's records come from. */
export const TraceSource = Type.Union([
  Type.Literal('native'),
  Type.Literal('browser'),
  Type.Literal('import'),
]);
export type TraceSource = Static<typeof TraceSource>;

/** The retained trace: recorded by this session, imported over the API, or the file that the command was given. */
export const TraceSummary = Type.Object({
  name: Type.String(),
  origin: Type.Union([Type.Literal('capture'), Type.Literal('import'), Type.Literal('file')]),
  /** Where it stands on this machine; null for an import, which is kept in an unlinked file. */
  path: nullable(Type.String()),
  sources: Type.Array(TraceSource),
  started_at: nullable(Type.String()),
  /** Lines that are records: the header is left out. */
  records: Type.Integer({ minimum: 0 }),
  /** Of these, asset records. */
  assets: Type.Integer({ minimum: 0 }),
  bytes: Type.Integer({ minimum: 0 }),
  /** To the end of the latest record; null where there is none. */
  duration_ms: nullable(Type.Number({ minimum: 0 })),
  /** Whether this is not the whole recording: the capture goes on (also after a cap ended the file), or the clean `end` is missing. */
  partial: Type.Boolean(),
  /** Whether a cap or a full disk cut it short. */
  truncated: Type.Boolean(),
  /** Bytes of an unfinished last line, which is left out. */
  torn_bytes: Type.Integer({ minimum: 0 }),
});
export type TraceSummary = Static<typeof TraceSummary>;

/** The recording as it was left on disk: the last word of a session about its own file. */
export const WrittenTrace = Type.Object({
  path: Type.String(),
  bytes: Type.Integer({ minimum: 0 }),
  truncated: Type.Boolean(),
});
export type WrittenTrace = Static<typeof WrittenTrace>;
