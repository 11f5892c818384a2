// Notes that were added to an imported trace or an opened file. They are kept in memory, and the file does not change.
import { NOTE_LIMITS, type TraceSummary } from '@svc/contracts/agent';
import { formatNotes, type NotePlace, type NoteRecord, type Source } from '@svc/trace';
import { failure } from '../failure.ts';

/** Bytes that an export has in addition to the file, at an offset of the file. */
export type Insertion = { readonly at: number; readonly bytes: Uint8Array };

/** The line of a note, and its bytes. */
type Line = { readonly text: string; readonly bytes: number };

export class AddedNotes {
  readonly #source: Source | undefined;
  readonly #findPlace: () => Promise<NotePlace>;
  #place: Promise<NotePlace> | null = null;
  /** The latest line of each note, in the order of the changes. */
  #lines: ReadonlyMap<NoteRecord['id'], Line> = new Map();
  #insertion: Insertion | null = null;
  #revision = 0;

  /**
   * `sources` are those of the header. `findPlace` reads the file to find where notes belong. It is called for the first
   * note, and again if it has rejected.
   */
  constructor(sources: readonly Source[], findPlace: () => Promise<NotePlace>) {
    this.#source = sources.length > 1 ? sources[0] : undefined;
    this.#findPlace = findPlace;
  }

  /** What an export inserts now. The value does not change when notes are added later. Null without notes. */
  get insertion(): Insertion | null {
    return this.#insertion;
  }

  /**
   * Adds notes in their order. A note replaces the one with its id. Rejects with `too_many_notes` if they are too many or
   * too large, and with the error of `findPlace`. Then none is added.
   */
  async add(notes: readonly NoteRecord[]): Promise<void> {
    const { at, before } = await this.#knownPlace();
    const added = new Map(this.#lines);
    for (const note of notes) {
      added.delete(note.id);
      added.set(note.id, lineOf(note, this.#source));
    }
    const lines = [...added.values()];
    refuseTooMany(lines);
    this.#lines = added;
    this.#revision++;
    this.#insertion = { at, bytes: Buffer.from(before + lines.map(({ text }) => text).join('')) };
  }

  /** The summary of the file with the notes. */
  summarize(file: Omit<TraceSummary, 'notes_revision'>): TraceSummary {
    return {
      ...file,
      records: file.records + this.#lines.size,
      bytes: file.bytes + (this.#insertion?.bytes.length ?? 0),
      notes_revision: this.#revision,
    };
  }

  async #knownPlace(): Promise<NotePlace> {
    this.#place ??= this.#findPlace();
    try {
      return await this.#place;
    } catch (error) {
      this.#place = null;
      throw error;
    }
  }
}

function lineOf(note: NoteRecord, source: Source | undefined): Line {
  const { type, t, ...rest } = note;
  const text = formatNotes([{ type, t, ...(source !== undefined && { source }), ...rest }]);
  return { text, bytes: Buffer.byteLength(text) };
}

function refuseTooMany(lines: readonly Line[]): void {
  const { kept_ids, kept_bytes } = NOTE_LIMITS;
  const bytes = lines.reduce((sum, line) => sum + line.bytes, 0);
  if (lines.length <= kept_ids && bytes <= kept_bytes) return;
  const most = `${kept_ids.toLocaleString('en')} notes, with ${kept_bytes / 1024 / 1024} MiB together`;
  throw failure(
    'too_many_notes',
    `Cannot add the notes: the agent keeps at most ${most}, beside a trace. Save the trace with its notes, and open that file`,
  );
}
