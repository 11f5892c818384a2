// Reads a planned file, and checks that it has not changed since the plan.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { BuildError, showName } from '../findings.ts';
import type { FileStamp, FoundFile } from './walk-folder.ts';

/** Fixed, because the output of zlib may depend on the size of its input chunks. */
const READ_BYTES = 256 * 1024;

/** Yields the file's bytes in chunks of {@link READ_BYTES}. Throws `file_changed` if it has changed or changes while it is read. */
export async function* readPlanned(file: FoundFile): AsyncGenerator<Buffer> {
  await using handle = await openPlanned(file);
  await assertUnchanged(handle, file);
  let left = file.bytes;
  while (left > 0) {
    const chunk = await readFully(handle, Math.min(left, READ_BYTES));
    if (chunk === null) throw changed(file);
    left -= chunk.length;
    yield chunk;
  }
  await assertUnchanged(handle, file);
}

/** Opens the file. Does not follow a link or wait for a pipe that has replaced the file. */
export async function openPlanned(file: FoundFile): Promise<FileHandle> {
  try {
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    return await open(file.source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    throw code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO' ? changed(file) : error;
  }
}

async function readFully(handle: FileHandle, length: number): Promise<Buffer | null> {
  const buffer = Buffer.allocUnsafeSlow(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled);
    if (bytesRead === 0) return null;
    filled += bytesRead;
  }
  return buffer;
}

const STAMP: readonly (keyof FileStamp)[] = ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'];

async function assertUnchanged(handle: FileHandle, file: FoundFile): Promise<void> {
  const now = await handle.stat({ bigint: true });
  if (STAMP.some((key) => now[key] !== file.stamp[key])) throw changed(file);
}

export function changed(file: FoundFile): BuildError {
  const message = `${showName(file.path)} changed while it was packed.`;
  const hint = 'Wait until the build is finished, then try again.';
  const finding = { code: 'file_changed', entry: file.path, rule: 'file_changed' } as const;
  return new BuildError([{ ...finding, message, hint }]);
}
