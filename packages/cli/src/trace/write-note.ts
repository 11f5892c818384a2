// Adds one note record to a `.vpt` file. All other bytes stay.
import {
  accessSync,
  type BigIntStats,
  constants,
  createReadStream,
  realpathSync,
  statSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { holdRecording } from '@svc/agent/hold-recording';
import { codeOf } from '@svc/contracts/caught';
import { findNotePlace, formatNotes, type NoteRecord } from '@svc/trace';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { compressed, type NotedTrace, readNotes } from './read-notes.ts';
import { explainUnread } from './read-trace.ts';
import { openReplacement, openTarget, type Target } from './write-target.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Writes the trace with the record that `choose` returns, to `out`, or into the file itself if `out` is undefined or the same
 * file. The file is replaced at once or not at all, and only if it has not changed meanwhile. A link to it stays. Returns the
 * number of bytes written. Throws an ExitError (1), and what `choose` throws.
 */
export async function writeNote(
  file: string,
  out: string | undefined,
  io: Io,
  choose: (trace: NotedTrace) => NoteRecord | Promise<NoteRecord>,
): Promise<number> {
  const path = pathOf(file, io);
  if (out !== undefined && !isPath(resolve(io.cwd, out), path)) {
    // A copy is readable by no other users than the trace.
    return await insertNote({ file, path, choose, io }, (check, { mode }) =>
      withCheck(openTarget(out, io, Number(mode & 0o666n)), check),
    );
  }
  if (path.endsWith('.partial')) throw unfinished(file);
  refuseProtected(file, path);
  await using _hold = await holdFile(file, path);
  return await insertNote({ file, path, choose, io }, (check, stats) =>
    openReplacement({ path, stats, check }, io),
  );
}

type Insertion = {
  readonly file: string;
  /** Of the file, without links. */
  readonly path: string;
  readonly io: Io;
  readonly choose: (trace: NotedTrace) => NoteRecord | Promise<NoteRecord>;
};

async function insertNote(
  { file, path, io, choose }: Insertion,
  openFor: (check: () => void, stats: BigIntStats) => Target,
): Promise<number> {
  const stats = statOf(file, path);
  const check = (): void => {
    if (!isSame(stats, statSync(path, { bigint: true, throwIfNoEntry: false }))) {
      throw changed(file);
    }
  };
  if (await isCompressed(file, io)) throw compressed(file);
  const trace = await readNotes(file, io);
  const line = formatNotes([await choose(trace)]);
  check();
  const bytes = Number(stats.size);
  const { at, before } = await placeIn(path, bytes, trace.torn_bytes);
  await using target = openFor(check, stats);
  await copy(path, 0, at, target);
  target.write(Buffer.from(before + line));
  await copy(path, at, bytes, target);
  return await target.commit();
}

/** The target of another file. It is checked as late as possible that the trace has not changed. */
function withCheck(target: Target, check: () => void): Target {
  return {
    ...target,
    async commit() {
      await target.drain();
      check();
      return await target.commit();
    },
  };
}

async function placeIn(path: string, bytes: number, torn: number) {
  await using file = await open(path, 'r');
  return await findNotePlace((from, to) => readRange(file, from, to), bytes, torn);
}

/** The bytes from `from` to `to`. Fewer if the file ends before. */
async function readRange(file: FileHandle, from: number, to: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(to - from);
  let read = 0;
  while (read < bytes.length) {
    const { bytesRead } = await file.read(bytes, read, bytes.length - read, from + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}

async function copy(path: string, from: number, to: number, target: Target): Promise<void> {
  if (from === to) return;
  const input = createReadStream(path, { start: from, end: to - 1, highWaterMark: CHUNK_BYTES });
  for await (const chunk of input) {
    target.write(chunk);
    await target.drain();
  }
}

/** Whether the file is a gzip file. Throws an ExitError if it cannot be opened. */
export async function isCompressed(file: string, io: Io): Promise<boolean> {
  try {
    await using opened = await open(resolve(io.cwd, file), 'r');
    const [first, second] = await readRange(opened, 0, 2);
    return first === 0x1f && second === 0x8b;
  } catch (error) {
    throw explainUnread(error, file);
  }
}

function pathOf(file: string, io: Io): string {
  try {
    return realpathSync(resolve(io.cwd, file));
  } catch (error) {
    throw explainUnread(error, file);
  }
}

/** Throws an ExitError for a file without write permission, which could still be replaced in a folder that can be written. */
function refuseProtected(file: string, path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    const message = `Cannot write "${file}": you are not allowed to write it.`;
    throw new ExitError(EXIT.unexpected, 'unwritable_file', message, {
      hint: 'Write a copy with -o OUT.',
      cause: error,
    });
  }
}

function isPath(path: string, real: string): boolean {
  try {
    return realpathSync(path) === real;
  } catch {
    return false;
  }
}

function statOf(file: string, path: string): BigIntStats {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) throw changed(file);
  if (stats.isFile()) return stats;
  const reason = stats.isDirectory() ? 'it is a folder' : 'it is not a regular file';
  throw new ExitError(EXIT.unexpected, 'unreadable_file', `Cannot read "${file}": ${reason}.`);
}

function isSame(one: BigIntStats, other: BigIntStats | undefined): boolean {
  return (
    other !== undefined &&
    one.dev === other.dev &&
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeNs === other.mtimeNs
  );
}

/**
 * Reserves the file until disposed of, so that of two commands one is refused. A dashboard that records into the file has
 * reserved it, too. If the file cannot be reserved, only a change before it is replaced is noticed.
 */
async function holdFile(file: string, path: string): Promise<AsyncDisposable> {
  try {
    return await holdRecording(path);
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') return { async [Symbol.asyncDispose]() {} };
    throw new ExitError(
      EXIT.unexpected,
      'file_in_use',
      `"${file}" is in use: a dashboard records it, or another svc trace note writes it.`,
      { hint: 'Add the note in the dashboard, or run the command again later.', cause: error },
    );
  }
}

function unfinished(file: string): ExitError {
  return new ExitError(
    EXIT.unexpected,
    'file_in_use',
    `"${file}" is the file of a recording that has not ended.`,
    {
      hint: 'Add the note in the dashboard that records it. If the recording was killed, remove .partial from the name of the file first.',
    },
  );
}

function changed(file: string): ExitError {
  return new ExitError(
    EXIT.unexpected,
    'file_changed',
    `"${file}" changed while svc read it, so the note was not written.`,
    { hint: 'Run the command again.' },
  );
}
