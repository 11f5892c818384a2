// Reads small files of the kernel that may not exist.
import { readFileSync } from 'node:fs';

/** The text of a file, without white space at its ends. Null if it can't be read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return null;
  }
}

/** The number that a file contains. Null if it can't be read or has none. */
export function readNumber(path: string): number | null {
  const text = readText(path);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
