// Which files of the platform a backup has already, and which it must copy.
import { type ExpectedFile, expectedFiles } from '../check/expected-files.ts';
import type { Db } from '../database/schema.ts';
import { keyOfPart } from './parts.ts';
import type { Snapshot } from './snapshot.ts';

/** A file of the platform in a snapshot. */
export type BackedUpFile = Snapshot['files'][number];

/** What the target has before a backup. */
export type Earlier = {
  /** The files of the last backup by key. A key never means two contents. */
  readonly files: ReadonlyMap<string, BackedUpFile>;
  /** The keys and sizes of all parts. */
  readonly parts: ReadonlyMap<string, number>;
  /** The name of the recipients of the new backup, or null. */
  readonly recipients: string | null;
};

/** The files that a backup names. `known` are in the target, `unknown` must be read. */
export type FoundFiles = { readonly known: BackedUpFile[]; readonly unknown: ExpectedFile[] };

/** Finds the files that all rows refer to, in one state of the database. */
export async function findFiles(db: Db, earlier: Earlier): Promise<FoundFiles> {
  const found: FoundFiles = { known: [], unknown: [] };
  const games = await db.selectFrom('games').select('id').orderBy('id').execute();
  for (const { id } of games) {
    for (const file of (await expectedFiles(db, id)).values()) {
      const known = knownFile(file, earlier);
      if (known === null) found.unknown.push(file);
      else found.known.push(known);
    }
  }
  return found;
}

/** Returns the file as it is in a snapshot if the target has its content, else null. */
function knownFile({ key, bytes, proof }: ExpectedFile, earlier: Earlier): BackedUpFile | null {
  const last = earlier.files.get(key);
  if (last !== undefined && (bytes === null || bytes === last[2])) {
    return hasPart(last, earlier) ? last : null;
  }
  const hash = hashOf(proof);
  if (hash === null || bytes === null) return null;
  const file: BackedUpFile = [key, hash, bytes];
  return hasPart(file, earlier) ? file : null;
}

/** Returns the SHA-256 of the bytes of the file, if its row states it. */
function hashOf(proof: ExpectedFile['proof']): string | null {
  if (proof.kind === 'media') return proof.hash;
  return proof.kind === 'content' && proof.coding === null ? proof.content.hash : null;
}

/** Returns whether the target has the content. A part that was cut short has another size, unless it is encrypted. */
export function hasPart([, hash, bytes]: BackedUpFile, { parts, recipients }: Earlier): boolean {
  const stored = parts.get(keyOfPart({ folder: 'contents', hash }, recipients));
  return stored !== undefined && (recipients !== null || stored === bytes);
}
