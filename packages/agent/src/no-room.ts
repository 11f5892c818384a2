// Whether a failed write means that there is no more room.

/** `ENOSPC`, `EDQUOT` or `EFBIG` where the disk, the quota or the file system has no room left, by the error or its cause; null for anything else. */
export function noRoomReason(error: unknown): string | null {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code) ? code : null;
}
