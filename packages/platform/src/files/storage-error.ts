// Errors of the file store, and their conversion to errors of the contract.
import { failure } from '../failure.ts';

/** There is no file with this key. */
export class MissingFileError extends Error {
  override readonly name = 'MissingFileError';
  constructor(key: string, options?: ErrorOptions) {
    super(`Cannot find the stored file "${key}"`, options);
  }
}

/** Converts errors about a full disk to `storage_full`. Returns all other errors unchanged. */
export function asStorageFailure(thrown: unknown): unknown {
  // If closing failed too, the first error is the cause.
  const error = thrown instanceof SuppressedError ? firstFailure(thrown) : thrown;
  const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].some((code) => isErrno(error, code));
  return isFull
    ? failure('storage_full', 'Cannot store the files: the server has no disk space left', {
        cause: error,
      })
    : error;
}

function firstFailure(error: SuppressedError): unknown {
  return error.suppressed instanceof SuppressedError
    ? firstFailure(error.suppressed)
    : error.suppressed;
}

/** Returns whether the error has this code, such as `ENOENT`. */
export function isErrno(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
