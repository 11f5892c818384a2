// The notes of a trace: which records are in force, and changes to them.
import { hashBytes, hashBytes2 } from '../bytes/hash-bytes.ts';
import type { NoteRecord } from '../format/records.ts';
import { formatKnownRecord } from '../vpt/format-record.ts';

/** What a note takes besides its id and its text, as UTF-16 units. */
const NOTE_UNITS = 100;
/** Most notes that are counted because there is no room for their texts. */
const NOTES_COUNTED = 1_000_000;

/** Collects note records in file order. */
export class NoteList {
  readonly #latest = new Map<NoteRecord['id'], NoteRecord>();
  readonly #most: number;
  #units = 0;
  /** Fingerprints of the ids of notes in force that are not kept. */
  readonly #others = new Set<number>();

  /** `most` is the length of the notes that are kept at the same time, in UTF-16 units. Each takes its id, its text and NOTE_UNITS. */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** A record replaces the one with the same id. `1` and `"1"` are different ids. An empty text removes the note. */
  take(record: NoteRecord): void {
    const { id, text } = record;
    const known = this.#latest.get(id);
    if (known !== undefined) this.#units -= unitsOf(known);
    const units = unitsOf(record);
    const isKept = text !== '' && this.#units + units <= this.#most;
    if (isKept) {
      this.#latest.set(id, record);
      this.#units += units;
    } else {
      this.#latest.delete(id);
    }
    if (isKept || text === '') {
      if (this.#others.size > 0) this.#others.delete(fingerprintOf(id));
    } else if (this.#others.size < NOTES_COUNTED) {
      this.#others.add(fingerprintOf(id));
    }
  }

  /** The number of notes in force that are not kept, up to a million. */
  get leftOut(): number {
    return this.#others.size;
  }

  /** The latest version of each note that is kept, by time. */
  notes(): NoteRecord[] {
    return [...this.#latest.values()].sort((a, b) => a.t - b.t);
  }
}

function unitsOf({ id, text }: NoteRecord): number {
  return String(id).length + text.length + NOTE_UNITS;
}

/** 53 bits, so that two of a million ids are the same once in 18,000 traces. */
function fingerprintOf(id: NoteRecord['id']): number {
  const bytes = new TextEncoder().encode(JSON.stringify(id));
  const [first, second] = [hashBytes(bytes, 0, bytes.length), hashBytes2(bytes, 0, bytes.length)];
  return (first >>> 0) * 2 ** 21 + (second >>> 11);
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
