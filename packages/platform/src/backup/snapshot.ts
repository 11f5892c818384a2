// A snapshot: the file that names all parts of one backup. It is written last, so a backup without it does not exist.
import { createHash } from 'node:crypto';
import { readChunks } from '@svc/delivery';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { FileStore } from '../files/file-store.ts';
import { MissingFileError } from '../files/storage-error.ts';
import { BackupFault } from './backup-fault.ts';

/** The version of the layout of backups. A program rejects one that it does not know. */
export const FORMAT = 1;
const FOLDER = 'snapshots';
/** The time in UTC to the millisecond and a random part, so that the order of ids is that of the backups. */
const ID = /^\d{8}T\d{9}Z-[0-9a-f]{8}$/;

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Size = Type.Integer({ minimum: 0 });
/** No part of a key begins with a dot, so a key never leads out of the store. */
const Key = Type.String({
  pattern: '^[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*)+$',
});

const Snapshot = Type.Object({
  format: Type.Literal(FORMAT),
  id: Type.String({ pattern: ID.source }),
  /** When it was made, in milliseconds since 1970. */
  created_at: Size,
  /** The version of the program that made it. */
  version: Type.String(),
  engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
  /** All migrations of the database, in order. */
  migrations: Type.Array(Type.String({ pattern: '^[a-z0-9_]+$' }), { minItems: 1 }),
  /** The name of the recipients for whom its parts are encrypted. Null if they are not encrypted. */
  recipients: Type.Union([Type.String({ pattern: '^[0-9a-f]{16}$' }), Type.Null()]),
  /** The dumps of tables, in the order in which they are restored. `hash` and `bytes` are those of the compressed lines. */
  tables: Type.Array(
    Type.Object({
      name: Type.String({ pattern: '^[a-z_]+$' }),
      rows: Size,
      hash: Hash,
      bytes: Size,
    }),
  ),
  /** The key of each file in the store of the platform, with the SHA-256 and the size in bytes of its content. */
  files: Type.Array(Type.Tuple([Key, Hash, Size])),
  /** The keys of files that were missing or damaged when the backup was made. */
  lost: Type.Array(Key),
});

/** The parts of a backup. */
export type Snapshot = Static<typeof Snapshot>;

/** Creates the id of a backup that is made now. */
export function newSnapshotId(now: number, random: string): string {
  const time = new Date(now).toISOString().replace(/[-:.]/g, '');
  return `${time}-${random}`;
}

/** The key of a snapshot in the target. */
export function snapshotKey(id: string): string {
  return `${FOLDER}/${id}.json`;
}

/** Returns the text of the file of a snapshot. Its hash shows a damaged one. */
export function formatSnapshot(snapshot: Snapshot): string {
  const text = JSON.stringify(snapshot);
  return `{"sha256":"${hashOf(text)}","snapshot":${text}}\n`;
}

/** Returns the ids of all snapshots, the oldest first. */
export async function listSnapshots(target: FileStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const { key } of target.list(FOLDER)) {
    const name = key.slice(FOLDER.length + 1);
    const id = name.replace(/\.json$/, '');
    if (name !== id && ID.test(id)) ids.push(id);
  }
  return ids.sort();
}

/** Reads a snapshot. Throws a {@link BackupFault} if it is missing or damaged, or has a format of a newer program. */
export async function readSnapshot(target: FileStore, id: string): Promise<Snapshot> {
  const key = snapshotKey(id);
  const text = await readText(target, key);
  const [, hash, body = ''] = /^\{"sha256":"([0-9a-f]{64})","snapshot":(.*)\}\n$/s.exec(text) ?? [];
  if (hash === undefined || hashOf(body) !== hash) {
    throw new BackupFault(`The snapshot "${key}" is damaged`);
  }
  const read: unknown = JSON.parse(body);
  if (Value.Check(Snapshot, read) && read.id === id) return read;
  const isNewer =
    typeof read === 'object' && read !== null && 'format' in read && Number(read.format) > FORMAT;
  throw new BackupFault(
    isNewer
      ? `A newer version of svc-platform has made the backup "${id}". Use the newer version`
      : `The snapshot "${key}" is not one of svc-platform`,
  );
}

async function readText(target: FileStore, key: string): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    const file = await target.open(key);
    for await (const chunk of readChunks(file, 0, file.bytes)) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof MissingFileError)) throw error;
    throw new BackupFault(`The target has no snapshot "${key}"`);
  }
  return Buffer.concat(chunks).toString();
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
