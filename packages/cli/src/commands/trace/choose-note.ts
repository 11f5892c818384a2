// The note record that a command line of `svc trace note` asks for.
import { randomBytes } from 'node:crypto';
import { DEFAULT_BUDGET_MS, type MomentPlace, NOTE_LENGTH, type NoteRecord } from '@svc/trace';
import { safeLine } from '../../output/text.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';
import { roundedMs } from '../../trace/describe-moment.ts';
import { findPlace, secondsText } from '../../trace/moment-place.ts';
import { readModel } from '../../trace/read-model.ts';
import type { NotedTrace } from '../../trace/read-notes.ts';

type NoteOptions = {
  readonly at?: MomentPlace;
  /** Milliseconds. */
  readonly for?: number;
  /** Milliseconds. */
  readonly to?: number;
  readonly id?: string;
  readonly remove?: string;
  readonly frameMs?: number;
};

/** When a note is. `end` is the option that gives its end, if there is one. The number of a hitch depends on `budget_ms`. */
type NoteTime = {
  readonly at: MomentPlace | undefined;
  readonly end: NoteEnd | undefined;
  readonly budget_ms: number;
};
type NoteEnd = { readonly for_ms: number } | { readonly to_ms: number };

export type NoteRequest =
  | ({ readonly kind: 'add'; readonly text: string } & NoteTime)
  | ({ readonly kind: 'change'; readonly id: string; readonly text: string | undefined } & NoteTime)
  | { readonly kind: 'remove'; readonly id: string };

/** Null if the command line asks for no change. Throws a usage error. */
export function requestOf(text: string | undefined, options: NoteOptions): NoteRequest | null {
  const { at, id, remove, frameMs: budget_ms = DEFAULT_BUDGET_MS } = options;
  const end = endOf(options);
  const hasTime = at !== undefined || end !== undefined;
  if (text !== undefined) refuseText(text);
  if (remove !== undefined) {
    if (text === undefined && !hasTime && id === undefined) return { kind: 'remove', id: remove };
    throw usageError('--remove takes no TEXT, and no other option but -o.');
  }
  if (id !== undefined) {
    if (text !== undefined || hasTime) return { kind: 'change', id, text, at, end, budget_ms };
    throw usageError('--id needs a new TEXT or a new time. Use --remove ID to remove the note.');
  }
  if (text === undefined) {
    if (!hasTime) return null;
    throw usageError('TEXT is missing. Write it after FILE.');
  }
  if (at === undefined) throw usageError('The time of the note is missing. Add --at SECONDS.');
  return { kind: 'add', text, at, end, budget_ms };
}

function endOf({ at, for: for_ms, to: to_ms }: NoteOptions): NoteEnd | undefined {
  if (for_ms === undefined && to_ms === undefined) return undefined;
  if (for_ms !== undefined && to_ms !== undefined) throw usageError('Use --for or --to, not both.');
  if (at !== undefined && at.kind !== 'time') {
    throw usageError('--at names a range already. Leave out --for and --to.');
  }
  return for_ms === undefined ? { to_ms: to_ms ?? 0 } : { for_ms };
}

function refuseText(text: string): void {
  if (text.trim() === '') {
    throw usageError('The text of the note is empty.', 'Use --remove ID to remove a note.');
  }
  if (text.length > NOTE_LENGTH) {
    throw usageError(
      `The text of the note has ${text.length} characters. At most ${NOTE_LENGTH} are allowed.`,
    );
  }
  const [control] = /[^\P{Cc}\n\t]/u.exec(text) ?? [];
  if (control === undefined) return;
  const code = (control.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  throw usageError(`The text of the note contains the control character U+${code}.`);
}

/** The record to write. Throws an ExitError: 1 if the trace has no such note or time, 2 for an end that is not after the time. */
export async function chooseNote(
  request: NoteRequest,
  trace: NotedTrace,
  file: string,
  io: Io,
): Promise<NoteRecord> {
  if (request.kind === 'add') {
    const when = await whenOf(request, null, trace, file, io);
    return noteRecord(trace, { id: freeId(trace.ids), text: request.text, ...when });
  }
  const note = findNote(trace, request.id, file);
  const { id, t } = note;
  if (request.kind === 'remove') return noteRecord(trace, { id, t, text: '' });
  const when = await whenOf(request, note, trace, file, io);
  return noteRecord(trace, { id, text: request.text ?? note.text, ...when });
}

type When = Pick<NoteRecord, 't' | 'duration_ms'>;

/** The time of a note. `note` is the one that is changed. */
async function whenOf(
  { at, end, budget_ms }: NoteTime,
  note: NoteRecord | null,
  trace: NotedTrace,
  file: string,
  io: Io,
): Promise<When> {
  if (at === undefined && end === undefined && note !== null) {
    const { t, duration_ms } = note;
    return duration_ms === undefined ? { t } : { t, duration_ms };
  }
  if (at !== undefined && at.kind !== 'time' && at.kind !== 'range') {
    // The number of a moment follows from the whole trace.
    const { from_ms, to_ms } = findPlace(await readModel(file, io), at, budget_ms, file);
    return lasting(from_ms, to_ms);
  }
  const inTrace = (ms: number): number => timeIn(trace, ms, file);
  if (at?.kind === 'range') return lasting(inTrace(at.from_ms), inTrace(at.to_ms));
  const t = at === undefined ? (note?.t ?? 0) : inTrace(at.t);
  if (end === undefined) return { t };
  const to_ms = 'to_ms' in end ? end.to_ms : t + end.for_ms;
  if (to_ms < t) throw usageError(`--to is before the time of the note, ${secondsText(t)}.`);
  return lasting(t, inTrace(to_ms));
}

/** A range without length is a point in time. */
function lasting(from_ms: number, to_ms: number): When {
  const duration_ms = roundedMs(to_ms - from_ms);
  return duration_ms <= 0 ? { t: from_ms } : { t: from_ms, duration_ms };
}

/** Throws an ExitError for a time after the end, which commands show rounded up to a millisecond. */
function timeIn({ duration_ms }: NotedTrace, ms: number, file: string): number {
  if (ms <= Math.ceil(duration_ms)) return Math.min(ms, duration_ms);
  throw new ExitError(
    EXIT.unexpected,
    'no_such_moment',
    `"${file}" ends at ${secondsText(duration_ms)}, before ${secondsText(ms)}.`,
    { hint: `Name a time up to ${secondsText(duration_ms)}.` },
  );
}

/** The note with this id. `1` means the number before the text, and `"1"` the text. */
function findNote({ notes }: NotedTrace, id: string, file: string): NoteRecord {
  const note =
    notes.find((one) => JSON.stringify(one.id) === id) ??
    notes.find((one) => String(one.id) === id);
  if (note !== undefined) return note;
  const message = `"${file}" has no note "${safeLine(id)}".`;
  throw new ExitError(EXIT.unexpected, 'no_such_note', message, {
    hint: `List its notes: svc trace note ${file}`,
  });
}

function freeId(ids: ReadonlySet<string>): string {
  for (;;) {
    const id = randomBytes(4).toString('hex');
    if (!ids.has(id)) return id;
  }
}

/** The source has no meaning, but is required if the trace has several. */
function noteRecord(
  { header: { sources } }: NotedTrace,
  { t, id, text, duration_ms }: Omit<NoteRecord, 'type' | 'source'>,
): NoteRecord {
  const [source] = sources;
  return {
    ...{ type: 'note', t },
    ...(sources.length > 1 && source !== undefined && { source }),
    ...{ id, text },
    ...(duration_ms !== undefined && { duration_ms }),
  };
}
