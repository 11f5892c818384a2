// Whether a failed write means that there is no more room, or that the data folder can't be written to at all.
import { codeOf } from '@svc/contracts/caught';
import { UnsafeFolder } from './check-folder.ts';

const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EFBIG'];
const UNUSABLE = [
  ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST'],
  ...['ELOOP', 'ENAMETOOLONG', 'ENXIO', 'EIO'],
];

/** `ENOSPC`, `EDQUOT` or `EFBIG` where the disk, the quota or the file system has no room left, by the error or its cause; null for anything else. */
export function noRoomReason(error: unknown): string | null {
  const code = systemCodeOf(error);
  return NO_ROOM.includes(code) ? code : null;
}

/** Why nothing can be kept in the data folder, for the end of a sentence; null where the error says nothing of the kind. */
export function whyNotKept(error: unknown): string | null {
  if (noRoomReason(error) !== null) return 'the disk is full';
  if (error instanceof UnsafeFolder) return error.message;
  const code = systemCodeOf(error);
  return UNUSABLE.includes(code)
    ? `the data folder is gone, or cannot be written to (${code})`
    : null;
}

function systemCodeOf(error: unknown): string {
  return codeOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
