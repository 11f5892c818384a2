// A recording on its way to disk: record after record as they come, then its end, then its final name.
import type { FileHandle } from 'node:fs/promises';
import { unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  ENDING_RESERVE_BYTES,
  type Target,
  type TraceSummary,
  type WrittenTrace,
} from '@svc/contracts/agent';
import { formatHeader, formatRecord, type Header, roundMs, type TraceRecord } from '@svc/trace';
import { holdRecording } from '../storage/hold-recording.ts';
import { noRoomReason } from '../storage/no-room.ts';
import { copyBytes, placeRecording } from '../storage/place-recording.ts';
import {
  createRecordingFile,
  makeFolders,
  type RecordingFile,
  reserveRoom,
} from '../storage/recording-file.ts';

export type RecordingOptions = {
  readonly dataDir: string;
  readonly target: Target;
  readonly startedAt: Date;
  readonly version: string;
  /** Bytes the file may have, its end included. */
  readonly capBytes: number;
};

type Room = { release(): Promise<void> };

/** Starts a recording: the file with its header is on disk when this resolves. Rejects with Node's error. */
export async function startRecording(options: RecordingOptions): Promise<Recording> {
  makeFolders(options.dataDir);
  const room = await reserveRoom(options.dataDir);
  try {
    const file = await createRecordingFile(options.dataDir, options.target, options.startedAt);
    return await openRecording(file, room, options);
  } catch (error) {
    await room.release();
    throw error;
  }
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
    producer: { name: 'svc agent', version },
    started_at: startedAt.toISOString(),
    sources: ['native'],
    target,
  };
}

/** Appends never fail: where there is no more room the file is ended, and what comes later is left out. */
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

  /** What is on disk, in whole lines. */
  get bytes(): number {
    return this.#bytes;
  }

  get handle(): FileHandle {
    return this.#file.handle;
  }

  get summary(): TraceSummary {
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
      // A file that the cap has ended is whole, but the capture goes on without it.
      partial: !this.#finished || !this.#hasEnd,
      truncated: this.#truncated,
      torn_bytes: 0,
    };
  }

  get written(): WrittenTrace {
    return { path: this.#path, bytes: this.#bytes, truncated: this.#truncated };
  }

  async begin(header: Header): Promise<void> {
    await this.#write(formatHeader(header));
  }

  /** Queues a record; it is on disk as soon as the ones before it are. */
  append(record: TraceRecord): void {
    this.#writes = this.#writes.then(() => this.#append(record));
  }

  /** Ends the capture, and the file with `end`, syncs it and gives it its final name. Waits for what is queued. */
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

  /** Closes what is still held, the file's handle too: nothing can be read any more. */
  async release(): Promise<void> {
    await this.#room.release();
    await this.#hold[Symbol.asyncDispose]();
    await this.#file.handle.close();
  }

  async #append(record: TraceRecord): Promise<void> {
    if (this.#state === 'closed') return;
    const line = formatRecord(record);
    if (this.#bytes + Buffer.byteLength(line) + ENDING_RESERVE_BYTES > this.#options.capBytes) {
      await this.#truncate('storage_cap', record.t);
      return;
    }
    try {
      await this.#write(line);
      this.#count(record);
    } catch (error) {
      await this.#truncate(noRoomReason(error) === null ? 'write_failed' : 'disk_full', record.t);
    }
  }

  /** Ends the file early, from the room that was kept back. */
  async #truncate(reason: string, t: number): Promise<void> {
    this.#truncated = true;
    await this.#room.release();
    await this.#tryWrite([
      { type: 'loss', t, reason },
      { type: 'end', t, reason },
    ]);
    await this.#close();
  }

  /** Writes the lines one by one; where even they don't fit, the file stays without them, which makes it partial. */
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
    this.#latestMs = Math.max(this.#latestMs, roundMs(record.t));
  }

  /** Writes whole or not at all: after a failure what was written of the line is overwritten or cut off. */
  async #write(line: string): Promise<void> {
    const bytes = Buffer.from(line);
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

  /** Where the file has been deleted, or can't be found, it is written once more. */
  async #saveAgain(): Promise<void> {
    try {
      makeFolders(this.#options.dataDir);
      await copyBytes(this.handle, this.#bytes, this.#file.finalPath);
      this.#path = this.#file.finalPath;
    } catch {
      this.#truncated = true;
    }
  }
}
