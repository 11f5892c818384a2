// Notes of a person, which the agent adds to the retained trace.
import { type Static, Type } from 'typebox';
import { NOTE_LIMITS } from './limits.ts';
import { TraceSummary } from './trace-summary.ts';

const closed = { additionalProperties: false } as const;

/** Half of a character that UTF-16 writes as two units has no form in UTF-8. */
const WELL_FORMED = {
  pattern: '^\\P{Cs}*$',
  description: 'text without halves of characters (lone surrogates)',
} as const;

/** A number or a text. `1` and `"1"` are different ids. */
const NoteId = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  minLength: 1,
  maxLength: NOTE_LIMITS.id_characters,
  ...WELL_FORMED,
  title: 'id',
});

/** A note that is added, or that replaces the one with the same id. */
export const NoteChange = Type.Object(
  {
    id: NoteId,
    /** Milliseconds since the start of the trace. The agent rounds them to three decimals. */
    t: Type.Number({ minimum: 0, maximum: NOTE_LIMITS.latest_ms, title: 'time' }),
    /** The length of the range. A note about a point in time has none. */
    duration_ms: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: NOTE_LIMITS.latest_ms,
        title: 'duration',
      }),
    ),
    /** The first line is the title. An empty text removes the note. */
    text: Type.String({
      maxLength: NOTE_LIMITS.text_characters,
      ...WELL_FORMED,
      title: 'text',
    }),
  },
  { ...closed, title: 'note' },
);
export type NoteChange = Static<typeof NoteChange>;

/** `POST /api/notes`: changes in their order. All of them are applied, or none. */
export const NotesRequest = Type.Object(
  {
    notes: Type.Array(NoteChange, {
      minItems: 1,
      maxItems: NOTE_LIMITS.per_request,
      title: 'list of notes',
    }),
  },
  closed,
);
export type NotesRequest = Static<typeof NotesRequest>;

/** The answer of `POST /api/notes`: the trace with the notes. */
export const NotesAnswer = Type.Object({ trace: TraceSummary });
export type NotesAnswer = Static<typeof NotesAnswer>;
