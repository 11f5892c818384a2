// What is wrong with a part of a backup.

/** A part of a backup is missing or damaged, or cannot be used. The message names it. */
export class BackupFault extends Error {
  override readonly name = 'BackupFault';
}
