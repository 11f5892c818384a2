// The notes of a trace: which records are in force, and changes to them.
import type { NoteRecord } from '../format/records.ts';
import { formatKnownRecord } from '../vpt/format-record.ts';

/** Collects note records in file order. */
export class NoteList {
  readonly #latest = new Map<NoteRecord['id'], NoteRecord>();
  readonly #most: number;
  #leftOut = 0;

  /** `most` is the number of different ids that are kept. */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** A record replaces the one with the same id. `1` and `"1"` are different ids. */
  take(record: NoteRecord): void {
    if (this.#latest.size >= this.#most && !this.#latest.has(record.id)) this.#leftOut++;
    else this.#latest.set(record.id, record);
  }

  /** The number of records that were not kept. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** The latest version of each note, by time. Notes with an empty text are removed ones and left out. */
  notes(): NoteRecord[] {
    return [...this.#latest.values()].filter(({ text }) => text !== '').sort((a, b) => a.t - b.t);
  }
}

/** The notes after the changes, in their order. A change with an empty text removes the note with its id. */
export function withChanges(
  notes: readonly NoteRecord[],
  changes: readonly NoteRecord[],
): NoteRecord[] {
  const list = new NoteList();
  for (const record of [...notes, ...changes]) list.take(record);
  return list.notes();
}

/**
 * The changes that `notes` does not have yet: the last change of each id, unless the note is the same already, or removed
 * already.
 */
export function openChanges(
  notes: readonly NoteRecord[],
  changes: readonly NoteRecord[],
): NoteRecord[] {
  const known = new Map(notes.map((note) => [note.id, note]));
  const last = new Map(changes.map((change) => [change.id, change]));
  return [...last.values()].filter((change) => {
    const note = known.get(change.id);
    return note === undefined ? change.text !== '' : !isSame(note, change);
  });
}

function isSame(one: NoteRecord, other: NoteRecord): boolean {
  return one.t === other.t && one.text === other.text && one.duration_ms === other.duration_ms;
}

/** The lines of note records. */
export function formatNotes(notes: readonly NoteRecord[]): string {
  return notes.map(formatKnownRecord).join('');
}
