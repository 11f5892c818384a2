// A lock on a file, which the kernel releases when the process ends, in any way. SQLite is used only for its locks: they work
// on every system, and across containers that share a disk.
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/** Takes the lock on the file, which is created if it is missing. Returns null if another process or caller has it. */
export function lockFile(path: string): Disposable | null {
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    // Nothing is written, so there must be no journal beside the file.
    file.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return null;
    throw error;
  }
  return { [Symbol.dispose]: () => file.close() };
}
