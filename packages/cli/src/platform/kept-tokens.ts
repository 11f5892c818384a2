// Keeps the tokens that were exchanged for identities, for the next commands of a job. Each is in a file that only its owner can read.
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isWellFormedToken } from '@svc/contracts/platform';
import { credentialsPath } from './credentials.ts';
import { parseJson, readOwnFile, writeOwnFile } from './own-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A token, and when it expires in milliseconds since 1970. */
export type Exchanged = { readonly token: string; readonly endsAt: number };

function folderOf(env: Environment): string {
  return join(dirname(credentialsPath(env)), 'exchanged');
}

/** Returns the token that is kept under the key; null if there is none that is still valid. */
export function readKept(
  env: Environment,
  key: string,
  warn: (text: string) => void,
): Exchanged | null {
  const value = parseJson(readOwnFile(join(folderOf(env), key), warn) ?? 'null');
  if (typeof value !== 'object' || value === null) return null;
  if (!('token' in value && 'endsAt' in value)) return null;
  const { token, endsAt } = value;
  if (typeof token !== 'string' || !isWellFormedToken(token) || typeof endsAt !== 'number')
    return null;
  return Date.now() < endsAt ? { token, endsAt } : null;
}

/** Keeps the token under the key, and deletes those that have expired. Does nothing if the file can't be written. */
export function keep(
  env: Environment,
  key: string,
  exchanged: Exchanged,
  warn: (text: string) => void,
): void {
  const folder = folderOf(env);
  try {
    writeOwnFile(join(folder, key), `${JSON.stringify(exchanged, null, 2)}\n`, warn);
    for (const other of readdirSync(folder)) {
      // Files that are being written have other names.
      const isKept = /^[0-9a-f]{64}$/.test(other);
      if (isKept && readKept(env, other, warn) === null)
        rmSync(join(folder, other), { force: true });
    }
  } catch {
    // The next command of the job needs another identity token, and says so.
  }
}

/** Deletes all kept tokens. */
export function deleteKept(env: Environment): void {
  rmSync(folderOf(env), { recursive: true, force: true });
}
