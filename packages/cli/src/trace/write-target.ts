// The output of a command: a temporary file that is renamed when complete, or standard output.

import { randomBytes } from 'node:crypto';
import { type BigIntStats, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '@svc/contracts/caught';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';

/** `write` buffers bytes, `drain` waits until they are written, and `commit` puts the file in its place. Disposing before `commit` leaves no file. */
export type Target = AsyncDisposable & {
  write(bytes: Uint8Array): void;
  drain(): Promise<void>;
  /** Returns the number of bytes written. */
  commit(): Promise<number>;
};

/** Opens the target that `-o` names. `-` and undefined stand for standard output. */
export function openTarget(out: string | undefined, io: Io): Target {
  if (out === undefined || out === '-') return standardOutput(io);
  const path = resolve(io.cwd, out);
  return isSpecialFile(path) ? fileTarget(path, path, io) : asideTarget(path, io);
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
  return asideTarget(replaced.path, io, replaced);
}

function standardOutput({ stdout }: Io): Target {
  let bytes = 0;
  let full = false;
  const drain = async (): Promise<void> => {
    if (!full || stdout.destroyed || !stdout.writable) return;
    full = false;
    await new Promise<void>((resolve) => {
      stdout.once('drain', resolve);
      stdout.once('close', resolve);
    });
  };
  return {
    write(chunk) {
      bytes += chunk.length;
      if (!stdout.destroyed && stdout.writable) full = !stdout.write(chunk) || full;
    },
    drain,
    async commit() {
      await drain();
      return bytes;
    },
    async [Symbol.asyncDispose]() {},
  };
}

function isSpecialFile(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile() && !stat.isDirectory();
}

function asideTarget(path: string, io: Io, replaced?: Replaced): Target {
  return fileTarget(`${path}.${randomBytes(6).toString('hex')}.part`, path, io, replaced);
}

/** Writes to `written`. The commit renames it to `path` if they differ. Without a commit the file is removed, also on Ctrl-C. */
function fileTarget(written: string, path: string, io: Io, replaced?: Replaced): Target {
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
      file = await open(written, aside ? 'wx' : 'w', replaced === undefined ? 0o666 : 0o600);
      left = true;
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
    drain: () => named(path, drain),
    commit: () =>
      named(path, async () => {
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

/** Gives a file the owner and the permissions of another one. Only root may change the owner. */
async function copyAccess({ uid, gid, mode }: BigIntStats, file: FileHandle): Promise<void> {
  await file.chown(Number(uid), Number(gid)).catch(() => {});
  await file.chmod(Number(mode & 0o777n));
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

/** Turns a file system error into an ExitError (1) that names the file. An ExitError is not changed. */
async function named<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ExitError) throw error;
    const message = messageOf(error);
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? message;
    throw new ExitError(EXIT.unexpected, 'unwritable_file', `Cannot write "${path}": ${reason}.`, {
      cause: error,
    });
  }
}
