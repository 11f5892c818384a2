// The output of a command: a temporary file that is renamed when complete, or standard output.

import { randomBytes } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf, messageOf } from '@svc/contracts/caught';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { watchSink } from '../process/watch-sink.ts';

/** `write` buffers bytes, `drain` waits until they are written, and `commit` puts the file in its place. Disposing before `commit` leaves no file. */
export type Target = AsyncDisposable & {
  write(bytes: Uint8Array): void;
  drain(): Promise<void>;
  /** Returns the number of bytes written. */
  commit(): Promise<number>;
};

/** The permissions of a new file, before the umask of the process. */
const USUAL_MODE = 0o666;

/**
 * Opens the target that `-o` names. `-` and undefined stand for standard output. A symbolic link stays, and the file that it names is
 * written. `mode` are the permissions of the file, from which the umask is taken.
 */
export function openTarget(out: string | undefined, io: Io, mode: number = USUAL_MODE): Target {
  if (out === undefined || out === '-') return standardOutput(io);
  const path = resolve(io.cwd, out);
  if (isSpecialFile(path)) return fileTarget({ written: path, path, mode }, io);
  return asideTarget(withoutLinks(path), io, mode);
}

/** A file that a target replaces. */
export type Replaced = {
  /** Of the file, without links. */
  readonly path: string;
  readonly stats: BigIntStats;
  /** Called when everything is on disk, just before the file is replaced. If it throws, the file stays. */
  readonly check: () => void;
};

/** Opens a target that replaces a file and keeps its permissions, and its owner if this is allowed. */
export function openReplacement(replaced: Replaced, io: Io): Target {
  return asideTarget(replaced.path, io, 0o600, replaced);
}

function standardOutput({ stdout }: Io): Target {
  const watch = watchSink(stdout);
  let bytes = 0;
  let isFull = false;
  const flush = (): Promise<void> => named('standard output', watch.flushed);
  return {
    write(chunk) {
      bytes += chunk.length;
      if (!watch.isOver()) isFull = !stdout.write(chunk) || isFull;
    },
    async drain() {
      if (!isFull && !watch.isOver()) return;
      await flush();
      isFull = false;
    },
    async commit() {
      await flush();
      return bytes;
    },
    async [Symbol.asyncDispose]() {
      watch[Symbol.dispose]();
    },
  };
}

function isSpecialFile(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile() && !stat.isDirectory();
}

/** The path without symbolic links. The file at its end may be missing. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return path;
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? withoutLinks(resolve(dirname(path), readlinkSync(path))) : path;
  }
}

function asideTarget(path: string, io: Io, mode: number, replaced?: Replaced): Target {
  const written = `${path}.${randomBytes(6).toString('hex')}.part`;
  return fileTarget({ written, path, mode, replaced }, io);
}

type Places = {
  readonly written: string;
  readonly path: string;
  readonly mode: number;
  readonly replaced?: Replaced | undefined;
};

/** Writes to `written`. The commit renames it to `path` if they differ. Without a commit the file is removed, also on Ctrl-C. */
function fileTarget({ written, path, mode, replaced }: Places, io: Io): Target {
  const aside = written !== path;
  const waiting: Uint8Array[] = [];
  let file: FileHandle | null = null;
  /** Whether the temporary file exists. */
  let left = false;
  let bytes = 0;
  const discard = (): void => {
    unlisten();
    if (aside && left) rmSync(written, { force: true });
  };
  const unlisten = io.onSignal((signal) => {
    discard();
    io.raise(signal);
  });
  const drain = async (): Promise<void> => {
    if (file === null) {
      if (aside) {
        // A signal finds either no file, or one that is known and is removed.
        closeSync(openSync(written, 'wx', mode));
        left = true;
      }
      file = await open(written, aside ? 'r+' : 'w');
      if (replaced !== undefined) await copyAccess(replaced.stats, file);
    }
    for (const chunk of waiting.splice(0)) await file.writeFile(chunk);
  };
  const close = async (): Promise<void> => {
    await file?.close();
    file = null;
  };
  return {
    write(chunk) {
      bytes += chunk.length;
      waiting.push(chunk);
    },
    drain: () => named(`"${path}"`, drain),
    commit: () =>
      named(`"${path}"`, async () => {
        await drain();
        if (aside) await file?.sync();
        await close();
        replaced?.check();
        if (aside) await rename(written, path);
        left = false;
        return bytes;
      }),
    async [Symbol.asyncDispose]() {
      await close();
      discard();
    },
  };
}

/**
 * Gives a file the owner, the group and the permissions of another one. Only root may change the owner, and others may only choose a group
 * of their own. If the file stays in another group, this group gets no permissions.
 */
async function copyAccess({ uid, gid, mode }: BigIntStats, file: FileHandle): Promise<void> {
  const own = await file.stat();
  const hasGroup = await file
    .chown(Number(uid), Number(gid))
    .catch(() => file.chown(own.uid, Number(gid)))
    .then(
      () => true,
      () => own.gid === Number(gid),
    );
  await file.chmod(Number(mode & 0o777n) & (hasGroup ? 0o777 : 0o707));
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'you are not allowed to write there',
  EPERM: 'you are not allowed to write there',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
};

/** Passes errors on as {@link unwritable}. An ExitError is not changed. */
async function named<T>(shown: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ExitError ? error : unwritable(shown, error);
  }
}

/** An error of a file or a stream as an ExitError (1) that names it. */
export function unwritable(shown: string, error: unknown): ExitError {
  const reason = REASONS[codeOf(error)] ?? messageOf(error);
  const message = `Cannot write ${shown}: ${reason}.`;
  return new ExitError(EXIT.unexpected, 'unwritable_file', message, { cause: error });
}
