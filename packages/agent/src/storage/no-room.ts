// Classifies a failed write: no room left, or the data folder can't be written to.
import { codeOf } from '@svc/contracts/caught';
import { UnsafeFolderError } from './check-folder.ts';

const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EFBIG'];
const UNUSABLE = [
  ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST'],
  ...['ELOOP', 'ENAMETOOLONG', 'ENXIO', 'EIO'],
];

/**
 * `ENOSPC`, `EDQUOT` or `EFBIG` if the error or its cause says that the disk, the quota or the file
 * system has no room left. Null for any other error.
 */
export function noRoomReason(error: unknown): string | null {
  const code = systemCodeOf(error);
  return NO_ROOM.includes(code) ? code : null;
}

/**
 * Why nothing can be stored in the data folder, as the end of a sentence. Null if the error has
 * another cause.
 */
export function reasonNotStored(error: unknown): string | null {
  if (noRoomReason(error) !== null) return 'the disk is full';
  if (error instanceof UnsafeFolderError) return error.message;
  const code = systemCodeOf(error);
  return UNUSABLE.includes(code)
    ? `the data folder is gone, or cannot be written to (${code})`
    : null;
}

function systemCodeOf(error: unknown): string {
  return codeOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
