// Reads a planned file, and checks that it has not changed since the plan.
import { closeSync, constants, fstatSync, openSync, read } from 'node:fs';
import { promisify } from 'node:util';
import type { ByteSource } from '../byte-source.ts';
import { BuildError, showName } from '../findings.ts';
import type { FileStamp, FoundFile } from './walk-folder.ts';

/** Fixed, because the output of zlib may depend on the size of its input chunks. */
const READ_BYTES = 256 * 1024;
const readAt = promisify(read);

/** Yields the file's bytes in chunks of {@link READ_BYTES}. Throws `file_changed` if it has changed or changes while it is read. */
export async function* readPlanned(file: FoundFile): AsyncGenerator<Buffer> {
  await using source = openPlanned(file);
  source.assertUnchanged();
  for (let at = 0; at < file.bytes; at += READ_BYTES) {
    yield await source.read(at, Math.min(READ_BYTES, file.bytes - at));
  }
  source.assertUnchanged();
}

/** Fills the buffer with the bytes of the file from a position. Throws `file_changed` if the file has changed. */
export async function readPlannedRange(
  file: FoundFile,
  offset: number,
  buffer: Buffer,
): Promise<void> {
  await using source = openPlanned(file);
  await source.read(offset, buffer.length, buffer);
  source.assertUnchanged();
}

/** A planned file as a source of bytes. Reading throws `file_changed` if the file is shorter than it was. */
export type PlannedSource = ByteSource & {
  /** Throws `file_changed` unless the file is still as it was planned. */
  assertUnchanged(): void;
};

/**
 * Opens the file. Does not follow a link or wait for a pipe that has replaced it. Only the reads are asynchronous: in a folder
 * with thousands of files, tasks on the thread pool for the other calls take longer than all reads.
 */
export function openPlanned(file: FoundFile): PlannedSource {
  const descriptor = openNow(file);
  return {
    size: file.bytes,
    async read(offset, length, into = Buffer.allocUnsafeSlow(length)) {
      const buffer = into.subarray(0, length);
      for (let filled = 0; filled < length; ) {
        const rest = buffer.subarray(filled);
        const { bytesRead } = await readAt(descriptor, rest, 0, rest.length, offset + filled);
        if (bytesRead === 0) throw changed(file);
        filled += bytesRead;
      }
      return buffer;
    },
    assertUnchanged() {
      if (!isSame(fstatSync(descriptor, { bigint: true }), file)) throw changed(file);
    },
    [Symbol.asyncDispose]: async () => closeSync(descriptor),
  };
}

function openNow({ source, path }: FoundFile): number {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 }: Partial<typeof constants> = constants;
  try {
    return openSync(source, Number(O_RDONLY) | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    throw code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO' ? changed({ path }) : error;
  }
}

const STAMP: readonly (keyof FileStamp)[] = ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'];

function isSame(now: FileStamp, { stamp }: FoundFile): boolean {
  return STAMP.every((key) => now[key] === stamp[key]);
}

export function changed(file: Pick<FoundFile, 'path'>): BuildError {
  const message = `${showName(file.path)} changed while it was packed.`;
  const hint = 'Wait until the build is finished, then try again.';
  const finding = { code: 'file_changed', entry: file.path, rule: 'file_changed' } as const;
  return new BuildError([{ ...finding, message, hint }]);
}
