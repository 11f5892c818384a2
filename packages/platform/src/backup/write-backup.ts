// Makes a backup: dumps one state of the database, copies the contents that the target lacks, and writes the snapshot last.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import manifest from '../../package.json' with { type: 'json' };
import type { BareDatabase } from '../database/bare-database.ts';
import { appliedMigrations } from '../database/migrate.ts';
import { migrationsFor } from '../database/migrations.ts';
import type { FileStore } from '../files/file-store.ts';
import type { SpoolFolder } from '../files/spool.ts';
import type { Platform } from '../platform.ts';
import { holdRemovals } from '../storage/removal-hold.ts';
import { BackupFault } from './backup-fault.ts';
import { copyFiles } from './copy-files.ts';
import { dumpTables, type TableDump } from './dump-tables.ts';
import { type Earlier, findFiles } from './find-files.ts';
import { keyOfPart, PART_FOLDERS } from './parts.ts';
import type { Seal } from './sealing.ts';
import {
  FORMAT,
  formatSnapshot,
  listSnapshots,
  newSnapshotId,
  readSnapshot,
  type Snapshot,
  snapshotKey,
} from './snapshot.ts';
import { leaseTarget } from './target-lease.ts';

/** What a backup needs of the platform. */
export type BackupContext = Pick<Platform, 'db' | 'database' | 'files' | 'spool'> & {
  /** The same database, for the dump. */
  readonly bare: Pick<BareDatabase, 'engine' | 'inSnapshot'>;
};

export type BackupOptions = {
  /** Null: the backup is not encrypted. */
  readonly seal: Seal | null;
  readonly signal: AbortSignal;
  /** Called for each file of the platform that is missing or damaged, with its key. */
  readonly onLost: (fault: 'missing' | 'damaged', key: string) => void;
};

/** A finished backup, with the number and the size of the contents that were copied. */
export type FinishedBackup = {
  readonly snapshot: Snapshot;
  readonly copied: number;
  readonly copiedBytes: number;
};

/**
 * Makes a backup while servers run. Files that are missing or damaged are reported and left out. Throws if the backup cannot be
 * finished; then the target has no new snapshot, and the next backup uses what was copied.
 */
export async function writeBackup(
  context: BackupContext,
  target: FileStore,
  { seal, signal, onLost }: BackupOptions,
): Promise<FinishedBackup> {
  const { spool, bare } = context;
  await using lease = await leaseTarget(target, spool, 'backup');
  const earlier = await findEarlier(target, seal?.name ?? null);
  // Before the state of the database is read: none of its files is removed from then on.
  await using hold = await holdRemovals(context);
  await using folder = await spool.openFolder();
  const createdAt = Date.now();
  const state = await bare.inSnapshot(async (db) => {
    const migrations = await appliedMigrations(db);
    checkMigrations(migrations, bare.engine);
    const tables = await dumpTables(db, folder, signal);
    return { migrations, tables, found: await findFiles(db, earlier) };
  });
  const { unknown, known } = state.found;
  const copy = await copyFiles(context, target, unknown, { earlier, seal, signal, onLost });
  await storeDumps(target, folder, state.tables, seal, earlier);
  const snapshot: Snapshot = {
    format: FORMAT,
    id: newSnapshotId(createdAt, randomBytes(4).toString('hex')),
    created_at: createdAt,
    version: manifest.version,
    engine: bare.engine,
    migrations: state.migrations,
    recipients: seal?.name ?? null,
    tables: state.tables.map(({ name, rows, hash, bytes }) => ({ name, rows, hash, bytes })),
    files: [...known, ...copy.files],
    lost: copy.lost,
  };
  const path = folder.newFile();
  await writeFile(path, formatSnapshot(snapshot), { mode: 0o600 });
  signal.throwIfAborted();
  await hold.confirm();
  lease.confirm();
  await storeFiles(target, [[snapshotKey(snapshot.id), path]]);
  if (copy.lost.length === 0) await recordBackup(context, snapshot);
  return { snapshot, copied: copy.copied, copiedBytes: copy.copiedBytes };
}

/** Finds what the target has. The last snapshot that can be read says which files need not be read again. */
async function findEarlier(target: FileStore, recipients: string | null): Promise<Earlier> {
  const files = new Map<string, Snapshot['files'][number]>();
  for (const id of (await listSnapshots(target)).reverse()) {
    try {
      for (const file of (await readSnapshot(target, id)).files) files.set(file[0], file);
      break;
    } catch (error) {
      // A damaged snapshot is no reason to make no backup.
      if (!(error instanceof BackupFault)) throw error;
    }
  }
  const parts = new Map<string, number>();
  for (const kind of PART_FOLDERS) {
    for await (const { key, bytes } of target.list(kind)) parts.set(key, bytes);
  }
  return { files, parts, recipients };
}

/** Throws unless this program knows exactly the schema of the database: else it would leave out tables. */
function checkMigrations(applied: readonly string[], engine: BareDatabase['engine']): void {
  const own = Object.keys(migrationsFor(engine));
  const newer = applied.find((name) => !own.includes(name));
  if (newer !== undefined) {
    throw new Error(
      `Cannot back up: a newer version of svc-platform has changed the database (${newer}). Use the newer version`,
    );
  }
  const pending = own.filter((name) => !applied.includes(name));
  if (pending.length > 0) {
    throw new Error(
      `Cannot back up: the database lacks ${pending.join(', ')}. Run "svc-platform migrate" first`,
    );
  }
}

async function storeDumps(
  target: FileStore,
  folder: SpoolFolder,
  dumps: readonly TableDump[],
  seal: Seal | null,
  { parts }: Earlier,
): Promise<void> {
  const files: [string, string][] = [];
  for (const { hash, path, bytes } of dumps) {
    const key = keyOfPart({ folder: 'tables', hash }, seal?.name ?? null);
    const stored = parts.get(key);
    if (stored !== undefined && (seal !== null || stored === bytes)) continue;
    if (stored !== undefined) await target.remove([key]);
    const sealed = seal === null ? path : folder.newFile();
    await seal?.encrypt(path, sealed);
    files.push([key, sealed]);
  }
  await storeFiles(target, files);
}

/** Stores local files durably under their keys. */
async function storeFiles(
  target: FileStore,
  files: readonly (readonly [key: string, path: string])[],
): Promise<void> {
  const batch = target.startBatch();
  try {
    for (const [key, path] of files) await batch.put(key, path);
    await batch.settle();
  } finally {
    await batch.stop();
  }
}

/** Records the time for the metric. */
async function recordBackup(
  { db }: Pick<Platform, 'db'>,
  { id, created_at }: Snapshot,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('backups').where('made_at', '<=', created_at).execute();
    await trx.insertInto('backups').values({ id, made_at: created_at }).execute();
  });
}
