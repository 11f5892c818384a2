// Where a command writes a file: aside and renamed when it is whole, or standard output.
import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';

/** Bytes go in by `write`, are waited for by `drain`, and stand at their place after `commit`. Disposing without that leaves nothing. */
export type Target = AsyncDisposable & {
  write(bytes: Uint8Array): void;
  drain(): Promise<void>;
  /** Returns how many bytes were written. */
  commit(): Promise<number>;
};

/** The target that `-o` names; `-` and nothing are standard output. */
export function openTarget(out: string | undefined, io: Io): Target {
  if (out === undefined || out === '-') return standardOutput(io);
  const path = resolve(io.cwd, out);
  return isSpecialFile(path) ? fileTarget(path, path, io) : asideTarget(path, io);
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

function asideTarget(path: string, io: Io): Target {
  return fileTarget(`${path}.${randomBytes(6).toString('hex')}.part`, path, io);
}

/** Writes to `written`; the commit renames it to `path` where they differ. What is not committed is removed, on Ctrl-C too. */
function fileTarget(written: string, path: string, io: Io): Target {
  const aside = written !== path;
  const waiting: Uint8Array[] = [];
  let file: FileHandle | null = null;
  /** Whether a file of ours stands aside. */
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
    file ??= await open(written, aside ? 'wx' : 'w');
    left = true;
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

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
};

/** A fault of the file system as a sentence that names the file. */
async function named<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? told;
    throw new ExitError(EXIT.unexpected, 'unwritable_file', `Cannot write "${path}": ${reason}.`, {
      cause: error,
    });
  }
}
