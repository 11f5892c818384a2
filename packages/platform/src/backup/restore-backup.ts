// Restores a backup into an empty database and a file store.
import type { BareDatabase } from '../database/bare-database.ts';
import { migrate } from '../database/migrate.ts';
import { migrationsFor } from '../database/migrations.ts';
import type { FileStore } from '../files/file-store.ts';
import type { Spool } from '../files/spool.ts';
import { fetchDumps, loadDumps, throwUnlessEmpty } from './load-tables.ts';
import { createPartReader } from './parts.ts';
import { restoreFiles } from './restore-files.ts';
import type { Unseal } from './sealing.ts';
import { readSnapshot, type Snapshot } from './snapshot.ts';

/** Where a backup is restored to. */
export type RestoreContext = {
  readonly bare: Pick<BareDatabase, 'db' | 'engine'>;
  readonly files: FileStore;
  readonly spool: Spool;
};

type RestoreOptions = {
  readonly unseal: Unseal | null;
  readonly signal: AbortSignal;
  /** Receives a line for each file that the backup lacks. */
  readonly onFault: (line: string) => void;
};

export type Restoration = {
  readonly snapshot: Snapshot;
  readonly rows: number;
  /** Files that were stored, and files that were there already. */
  readonly stored: number;
  readonly kept: number;
  /** Files that could not be restored, or that the backup never had. */
  readonly faults: number;
};

/**
 * Restores a backup. The files come first and the rows last, in one transaction, so that it can be repeated if it is interrupted.
 * Files that are missing or damaged are reported. Throws, without a change, if the database has rows or a dump is damaged.
 */
export async function restoreBackup(
  { bare, files, spool }: RestoreContext,
  target: FileStore,
  id: string,
  { unseal, signal, onFault }: RestoreOptions,
): Promise<Restoration> {
  const { db, engine } = bare;
  const snapshot = await readSnapshot(target, id);
  checkMigrations(snapshot, engine);
  await throwUnlessEmpty(db);
  const readPart = createPartReader(target, snapshot, unseal);
  await using folder = await spool.openFolder();
  const dumps = await fetchDumps(snapshot, readPart, folder, signal);
  const restored = await restoreFiles({ files, spool }, snapshot, readPart, { signal, onFault });
  for (const key of snapshot.lost) {
    onFault(`The file "${key}" was missing or damaged when the backup was made`);
  }
  signal.throwIfAborted();
  const rows = await loadDumps(bare, snapshot, dumps, signal);
  await migrate(db, engine, true);
  return {
    ...{ snapshot, rows, stored: restored.stored, kept: restored.kept },
    faults: restored.faults + snapshot.lost.length,
  };
}

/** Throws unless the migrations of the backup are the first ones of this program. */
function checkMigrations({ id, migrations }: Snapshot, engine: BareDatabase['engine']): void {
  const own = Object.keys(migrationsFor(engine));
  const isOlder = migrations.every((name, index) => own[index] === name);
  if (isOlder) return;
  const newer = migrations.find((name) => !own.includes(name));
  throw new Error(
    newer === undefined
      ? `Cannot restore the backup "${id}": it lacks a migration between others`
      : `Cannot restore the backup "${id}": a newer version of svc-platform has made it (${newer}). Use the newer version`,
  );
}
