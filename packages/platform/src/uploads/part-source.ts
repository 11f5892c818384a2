// The contents of an upload as one source of bytes, over its stored parts.
import type { ByteSource } from '@svc/game-build';
import type { UploadsTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { FileStore } from '../files/file-store.ts';
import { MissingFileError } from '../files/storage-error.ts';
import { keyOfPart } from './find-upload.ts';

/** Reads across parts. Throws `upload_incomplete` for a part that is not stored. */
export function partSource(files: FileStore, upload: UploadsTable): Pick<ByteSource, 'read'> {
  const { part_bytes } = upload;
  return {
    async read(offset, length, into = Buffer.allocUnsafeSlow(length)) {
      const buffer = into.subarray(0, length);
      for (let filled = 0; filled < length; ) {
        const at = offset + filled;
        const part = Math.floor(at / part_bytes);
        const from = at - part * part_bytes;
        const piece = buffer.subarray(
          filled,
          filled + Math.min(length - filled, part_bytes - from),
        );
        await readStored(files, keyOfPart(upload, part), piece, from).catch((error: unknown) => {
          throw error instanceof MissingFileError ? incomplete([part]) : error;
        });
        filled += piece.length;
      }
      return buffer;
    },
  };
}

/** A stored content as a source of bytes. Throws `upload_incomplete` if it was deleted. */
export function storedSource(files: FileStore, key: string): Pick<ByteSource, 'read'> {
  return {
    async read(offset, length, into = Buffer.allocUnsafeSlow(length)) {
      const buffer = into.subarray(0, length);
      await readStored(files, key, buffer, offset).catch((error: unknown) => {
        throw error instanceof MissingFileError ? contentLost() : error;
      });
      return buffer;
    },
  };
}

/** Fills the buffer with the bytes of a stored file from a position. */
async function readStored(
  files: FileStore,
  key: string,
  buffer: Buffer,
  position: number,
): Promise<void> {
  const file = await files.open(key);
  try {
    for (let filled = 0; filled < buffer.length; ) {
      const bytes = await file.read(buffer.subarray(filled), position + filled);
      if (bytes === 0) throw new MissingFileError(key);
      filled += bytes;
    }
  } finally {
    await file.close();
  }
}

/** The error for a content that the project had when the upload began, and has no longer. */
export function contentLost(): Error {
  return failure(
    'upload_incomplete',
    'Cannot publish: a release that shares files with this build was deleted since the upload began. List the files again, and send what is missing now',
  );
}

const LISTED = 20;

/** The error for parts that have not arrived. */
export function incomplete(parts: readonly number[]): Error {
  const some = parts.length === 1 ? `part ${parts[0]} has` : `${parts.length} parts have`;
  return failure(
    'upload_incomplete',
    `Cannot publish: ${some} not arrived. Send the missing parts`,
    {
      details: parts
        .slice(0, LISTED)
        .map((part) => ({ path: String(part), message: `Part ${part} is missing` })),
    },
  );
}
