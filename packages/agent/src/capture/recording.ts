// Writes a recording to disk: each record as it arrives, then the end record. Then it renames the
// file.
import type { FileHandle } from 'node:fs/promises';
import { unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import {
  AGENT_LIMITS,
  ENDING_RESERVE_BYTES,
  type Target,
  type TraceSummary,
  type WrittenTrace,
} from '@svc/contracts/agent';
import {
  endOfRecord,
  formatHeader,
  formatNotes,
  formatRecord,
  type Header,
  type NoteRecord,
  roundMs,
  type TraceRecord,
} from '@svc/trace';
import { failure } from '../failure.ts';
import { describeMachine } from '../machine/describe-machine.ts';
import { AGENT_PRODUCER } from '../producer.ts';
import { holdRecording } from '../storage/hold-recording.ts';
import { noRoomReason, reasonNotStored } from '../storage/no-room.ts';
import { copyBytes, placeRecording } from '../storage/place-recording.ts';
import {
  createNamedFile,
  createRecordingFile,
  makeFolders,
  type RecordingFile,
  reserveRoom,
} from '../storage/recording-file.ts';

export type RecordingOptions = {
  readonly place: RecordingPlace;
  readonly target: Target;
  readonly startedAt: Date;
  readonly version: string;
  /** The most bytes that the file may have, including its end. */
  readonly capBytes: number;
};

/** Where a recording is written: in the data folder, with a name of its own, or at a path that the user has chosen. */
type RecordingPlace = { readonly dataDir: string } | { readonly output: string };

/** As many characters are written at once, or one line. */
const WRITE_CHARACTERS = 1_048_576;

type Room = { release(): Promise<void> };

/**
 * Starts a recording. When this resolves, the file and its header are on disk. Rejects with Node's
 * error.
 */
export async function startRecording(options: RecordingOptions): Promise<Recording> {
  const { place, target, startedAt } = options;
  makePlace(place);
  const room = await reserveRoom('dataDir' in place ? place.dataDir : dirname(place.output));
  try {
    const file =
      'dataDir' in place
        ? await createRecordingFile(place.dataDir, target, startedAt)
        : await createNamedFile(place.output);
    return await openRecording(file, room, options);
  } catch (error) {
    await room.release();
    throw error;
  }
}

/** Creates the folders of the data folder. The folder of a file that the user names must exist. */
function makePlace(place: RecordingPlace): void {
  if ('dataDir' in place) makeFolders(place.dataDir);
}

async function openRecording(
  file: RecordingFile,
  room: Room,
  options: RecordingOptions,
): Promise<Recording> {
  try {
    const hold = await holdRecording(file.partialPath);
    const recording = new Recording(file, hold, room, options);
    await recording.begin(headerOf(options));
    return recording;
  } catch (error) {
    await file.handle.close();
    await unlink(file.partialPath);
    throw error;
  }
}

function headerOf({ version, startedAt, target }: RecordingOptions): Header {
  return {
    vpt: 1,
    producer: { name: AGENT_PRODUCER, version },
    started_at: startedAt.toISOString(),
    sources: ['native'],
    target,
    machine: describeMachine(),
  };
}

/**
 * A recording that is being written. Appending never fails: if there is no room, the file is ended
 * and later records are left out.
 */
export class Recording {
  readonly #file: RecordingFile;
  readonly #hold: AsyncDisposable;
  readonly #room: Room;
  readonly #options: RecordingOptions;
  #writes: Promise<void> = Promise.resolve();
  #bytes = 0;
  #records = 0;
  #assets = 0;
  #latestMs = 0;
  #state: 'open' | 'closed' = 'open';
  #truncated = false;
  #hasEnd = false;
  #finished = false;
  #path: string;

  constructor(file: RecordingFile, hold: AsyncDisposable, room: Room, options: RecordingOptions) {
    this.#file = file;
    this.#hold = hold;
    this.#room = room;
    this.#options = options;
    this.#path = file.partialPath;
  }

  /** The number of bytes on disk. They are always whole lines. */
  get bytes(): number {
    return this.#bytes;
  }

  get handle(): FileHandle {
    return this.#file.handle;
  }

  get summary(): Omit<TraceSummary, 'id'> {
    return {
      name: basename(this.#file.finalPath),
      origin: 'capture',
      path: this.#path,
      sources: ['native'],
      started_at: this.#options.startedAt.toISOString(),
      records: this.#records,
      assets: this.#assets,
      bytes: this.#bytes,
      duration_ms: this.#latestMs > 0 ? this.#latestMs : null,
      // A file that the cap has ended is complete, but the capture continues without it.
      partial: !this.#finished || !this.#hasEnd,
      truncated: this.#truncated,
      torn_bytes: 0,
      notes_revision: 0,
    };
  }

  /** Whether records are still written. False after the end, and if there is no room for more. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get written(): WrittenTrace {
    return { path: this.#path, bytes: this.#bytes, truncated: this.#truncated };
  }

  async begin(header: Header): Promise<void> {
    await this.#write(formatHeader(header));
  }

  /** Queues a record. Records are written in the order in which they are appended. */
  append(record: TraceRecord): void {
    void this.appendAll([record]);
  }

  /** Queues records. Resolves with the number of those that were written. */
  async appendAll(records: readonly TraceRecord[]): Promise<number> {
    const before = this.#writes;
    const written = before.then(() => this.#appendAll(records));
    this.#writes = written.then(
      () => {},
      () => {},
    );
    return await written;
  }

  /**
   * Queues notes, like records. Resolves when all of them are written. If there is no room for them, rejects with
   * `storage_full`; then none is written, and the recording continues. Rejects with `shutting_down` after the end.
   */
  async appendNotes(notes: readonly NoteRecord[]): Promise<void> {
    const written = this.#writes.then(() => this.#appendNotes(notes));
    this.#writes = written.catch(() => {});
    await written;
  }

  /** Ends the capture: writes `end`, syncs the file and renames it. Waits for queued records. */
  async finish(reason: string, t: number): Promise<WrittenTrace> {
    this.#finished = true;
    this.#writes = this.#writes.then(async () => {
      if (this.#state === 'closed') return;
      await this.#room.release();
      await this.#tryWrite([{ type: 'end', t, reason }]);
      await this.#close();
    });
    await this.#writes;
    return this.written;
  }

  /** Releases everything, and removes the file. */
  async discard(): Promise<void> {
    this.#state = 'closed';
    await this.#writes;
    await this.release();
    await unlink(this.#file.partialPath).catch(() => {});
  }

  /**
   * Releases everything that is held, including the file's handle. The recording can't be read
   * afterwards.
   */
  async release(): Promise<void> {
    await this.#room.release();
    await this.#hold[Symbol.asyncDispose]();
    await this.#file.handle.close();
  }

  async #appendAll(records: readonly TraceRecord[]): Promise<number> {
    let some: TraceRecord[] = [];
    let lines = '';
    let written = 0;
    for (const given of records) {
      const { record, line } = fitting(given);
      if (lines.length + line.length > WRITE_CHARACTERS) {
        written += await this.#appendLines(some, lines);
        some = [];
        lines = '';
      }
      some.push(record);
      lines += line;
    }
    return written + (await this.#appendLines(some, lines));
  }

  /** Writes records at once, or one by one if there is no room for all of them. Returns the number of those that were written. */
  async #appendLines(records: readonly TraceRecord[], lines: string): Promise<number> {
    const [first] = records;
    if (this.#state === 'closed' || first === undefined) return 0;
    let reason = 'storage_cap';
    if (this.#hasRoomFor(lines)) {
      try {
        await this.#write(lines);
        for (const record of records) this.#count(record);
        return records.length;
      } catch (error) {
        reason = noRoomReason(error) === null ? 'write_failed' : 'disk_full';
      }
    }
    if (records.length === 1) {
      await this.#truncate(reason, first.t);
      return 0;
    }
    let written = 0;
    for (const record of records) {
      written += await this.#appendLines([record], formatRecord(record));
    }
    return written;
  }

  async #appendNotes(notes: readonly NoteRecord[]): Promise<void> {
    const lines = formatNotes(notes);
    if (this.#state === 'closed' && this.#finished) {
      throw failure('shutting_down', 'Cannot add notes: the recording has ended');
    }
    if (this.#state === 'closed' || !this.#hasRoomFor(lines)) {
      const why = this.#state === 'closed' ? 'has ended for lack of room' : 'has no room for them';
      throw failure('storage_full', `Cannot add notes: the file of the recording ${why}`);
    }
    try {
      await this.#write(lines);
    } catch (error) {
      const why = reasonNotStored(error);
      if (why === null) throw error;
      throw failure('storage_full', `Cannot add notes: ${why}`, { cause: error });
    }
    for (const note of notes) this.#count(note);
  }

  /** Whether the lines leave the room that is reserved for the end. */
  #hasRoomFor(lines: string): boolean {
    const bytes = this.#bytes + Buffer.byteLength(lines);
    return bytes + ENDING_RESERVE_BYTES <= this.#options.capBytes;
  }

  /** Ends the file early, in the room that was reserved. */
  async #truncate(reason: string, atMs: number): Promise<void> {
    this.#truncated = true;
    const t = Math.max(atMs, this.#latestMs);
    await this.#room.release();
    await this.#tryWrite([
      { type: 'loss', t, reason },
      { type: 'end', t, reason },
    ]);
    await this.#close();
  }

  /**
   * Writes the records one by one. If they don't fit either, the file stays without an end, which
   * makes it partial.
   */
  async #tryWrite(records: readonly TraceRecord[]): Promise<void> {
    for (const record of records) {
      try {
        await this.#write(formatRecord(record));
        this.#count(record);
        this.#hasEnd ||= record.type === 'end';
      } catch {
        this.#truncated = true;
        return;
      }
    }
  }

  #count(record: TraceRecord): void {
    this.#records++;
    if (record.type === 'asset') this.#assets++;
    this.#latestMs = Math.max(this.#latestMs, roundMs(endOfRecord(record)));
  }

  /**
   * Writes whole lines or nothing. After a failure, the incomplete part is overwritten or cut off.
   */
  async #write(lines: string): Promise<void> {
    const bytes = Buffer.from(lines);
    let at = 0;
    try {
      while (at < bytes.length) {
        const { bytesWritten } = await this.handle.write(bytes, at, null, this.#bytes + at);
        at += bytesWritten;
      }
    } catch (error) {
      await this.handle.truncate(this.#bytes).catch(() => {});
      throw error;
    }
    this.#bytes += bytes.length;
  }

  async #close(): Promise<void> {
    this.#state = 'closed';
    await this.handle.sync().catch(() => {
      this.#truncated = true;
    });
    const path = await placeRecording(this.#file);
    if (path === null) await this.#saveAgain();
    else this.#path = path;
  }

  /** Writes the file again if it was deleted or can't be found. */
  async #saveAgain(): Promise<void> {
    try {
      makePlace(this.#options.place);
      await copyBytes(this.handle, this.#bytes, this.#file.finalPath);
      this.#path = this.#file.finalPath;
    } catch {
      this.#truncated = true;
    }
  }
}

/** A record and its line, or a loss in its place if the line is longer than readers accept. */
function fitting(record: TraceRecord): { record: TraceRecord; line: string } {
  const line = formatRecord(record);
  if (Buffer.byteLength(line) - 1 <= AGENT_LIMITS.line_bytes) return { record, line };
  const loss: TraceRecord = { type: 'loss', t: record.t, reason: 'line_too_long', count: 1 };
  return { record: loss, line: formatRecord(loss) };
}
