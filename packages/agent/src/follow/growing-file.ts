// Reads a file while another program writes it. The file may not exist yet, may be cut, and may be replaced by another one.
import { type BigIntStats, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { codeOf } from '@svc/contracts/caught';

/** Identifies a file, whatever its name is. */
type FileIdentity = Pick<BigIntStats, 'dev' | 'ino'>;

export type GrowingStep =
  /** The next bytes, valid until the next call. `isNew`: they are the first ones of a file, or of one that was written again. */
  | { readonly is: 'bytes'; readonly bytes: Uint8Array; readonly isNew: boolean }
  /** All bytes that there are have been returned. The reason is that of `missing`, if the path has no such file any more. */
  | { readonly is: 'end'; readonly reason: string | null }
  /** There is no file that can be read. The reason continues a sentence that begins with the name of the file. */
  | { readonly is: 'missing'; readonly reason: string };

/** The most bytes that one step returns. Reading them takes a few milliseconds, during which nothing else is done. */
const STEP_BYTES = 256 * 1024;

/** As many bytes from the start of a file tell whether it was written again. A trace has the time of its start there. */
const START_BYTES = 1024;

/** A FIFO that takes the place of the file is not waited for. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The reason if there is no file. */
export const MISSING = 'does not exist yet';

export class GrowingFile {
  readonly #path: string;
  readonly #buffer = Buffer.alloc(STEP_BYTES);
  #handle: FileHandle | null = null;
  #identity: FileIdentity | null = null;
  #offset = 0;
  #size = 0;
  #isAtEnd = true;
  #start: Buffer = Buffer.alloc(0);

  /** The path may be of a file that does not exist yet. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Reads on. A file that was replaced is first read to its end. Rejects with Node's error if reading fails. */
  async next(): Promise<GrowingStep> {
    const more = this.#handle === null ? null : await this.#readMore(this.#handle);
    if (more !== null) return more;
    const there = await lookAt(this.#path);
    if (typeof there === 'string') return this.#without(there);
    if (isSame(there, this.#identity)) return { is: 'end', reason: null };
    return await this.#openNext();
  }

  /** The first bytes of the file that is read. */
  get start(): Buffer {
    return this.#start;
  }

  /** The part of the file that has been returned, from 0 to 1, and the number of bytes that have not. */
  get progress(): { readonly part: number; readonly restBytes: number } {
    const restBytes = this.#isAtEnd ? 0 : Math.max(0, this.#size - this.#offset);
    return { part: restBytes === 0 ? 1 : this.#offset / this.#size, restBytes };
  }

  /** Skips what there is. The start of another file is still noticed. */
  async skip(): Promise<void> {
    if (this.#handle === null) return;
    this.#size = (await this.#handle.stat()).size;
    this.#offset = this.#size;
    this.#isAtEnd = true;
  }

  /** The path is opened again by the next step. */
  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    this.#identity = null;
    await handle?.close().catch(() => {});
  }

  #without(reason: string): GrowingStep {
    if (this.#handle === null) return { is: 'missing', reason };
    return { is: 'end', reason: reason === MISSING ? 'was deleted' : reason };
  }

  async #openNext(): Promise<GrowingStep> {
    const opened = await openFile(this.#path);
    if (typeof opened === 'string') return this.#without(opened);
    await this.close();
    this.#handle = opened.handle;
    this.#identity = opened.identity;
    this.#restart();
    return (await this.#readMore(opened.handle)) ?? { is: 'end', reason: null };
  }

  async #readMore(handle: FileHandle): Promise<GrowingStep | null> {
    this.#size = (await handle.stat()).size;
    if (this.#size < this.#offset) this.#restart();
    const { bytesRead } = await handle.read(this.#buffer, 0, STEP_BYTES, this.#offset);
    // A file that was made larger in advance has zeros where nothing is written yet.
    const zero = this.#buffer.subarray(0, bytesRead).indexOf(0);
    const bytes = this.#buffer.subarray(0, zero < 0 ? bytesRead : zero);
    this.#isAtEnd = zero >= 0 || bytesRead === 0;
    if (bytes.length === 0) return null;
    // Compared after reading: the bytes before them are then those that were read earlier.
    if (this.#offset > 0 && !(await this.#startsAsBefore(handle))) {
      this.#restart();
      return await this.#readMore(handle);
    }
    const isNew = this.#offset === 0;
    const missing = START_BYTES - this.#start.length;
    if (missing > 0) this.#start = Buffer.concat([this.#start, bytes.subarray(0, missing)]);
    this.#offset += bytes.length;
    return { is: 'bytes', bytes, isNew };
  }

  #restart(): void {
    this.#offset = 0;
    this.#start = Buffer.alloc(0);
  }

  async #startsAsBefore(handle: FileHandle): Promise<boolean> {
    const now = Buffer.alloc(this.#start.length);
    const { bytesRead } = await handle.read(now, 0, now.length, 0);
    return bytesRead === now.length && now.equals(this.#start);
  }
}

/** The first bytes of a trace, as {@link GrowingFile} compares them. Empty if there is none that has a whole header so far. */
export function readStart(path: string): Buffer {
  const start = readBytes(path);
  const zero = start.indexOf(0);
  const written = zero < 0 ? start : start.subarray(0, zero);
  const isCut = written.length < START_BYTES && !written.includes('\n');
  return isCut ? Buffer.alloc(0) : written;
}

function readBytes(path: string): Buffer {
  const bytes = Buffer.alloc(START_BYTES);
  try {
    if (!statSync(path).isFile()) return Buffer.alloc(0);
    const fd = openSync(path, READ);
    try {
      return bytes.subarray(0, readSync(fd, bytes, 0, START_BYTES, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

function isSame(a: FileIdentity, b: FileIdentity | null): boolean {
  return b !== null && a.dev === b.dev && a.ino === b.ino;
}

/** Returns the file, or why there is none to read. Nothing is opened, because opening a device or a FIFO has effects. */
async function lookAt(path: string): Promise<FileIdentity | string> {
  try {
    const found = await stat(path, { bigint: true });
    return found.isFile() ? found : NOT_A_FILE;
  } catch (error) {
    return reasonOf(error);
  }
}

async function openFile(
  path: string,
): Promise<{ handle: FileHandle; identity: FileIdentity } | string> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(path, READ);
    const found = await handle.stat({ bigint: true });
    if (found.isFile()) return { handle, identity: found };
    await handle.close();
    return NOT_A_FILE;
  } catch (error) {
    await handle?.close().catch(() => {});
    return reasonOf(error);
  }
}

const NOT_A_FILE = 'is not a regular file';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'may not be read by you',
  ELOOP: 'is a loop of links',
  EMFILE: 'cannot be opened now, because svc has too many open files',
  ENAMETOOLONG: 'has a name that is too long',
  ENOENT: MISSING,
  ENOTDIR: 'has a path with a part that is a file',
  EPERM: 'may not be read by you',
};

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return REASONS[code] ?? `cannot be read (${code})`;
}
