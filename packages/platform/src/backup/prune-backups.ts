// Removes old backups, and the parts that no backup needs any more.
import type { FileStore } from '../files/file-store.ts';
import type { Spool } from '../files/spool.ts';
import { BackupFault } from './backup-fault.ts';
import { PART_FOLDERS, partsOf } from './parts.ts';
import { listSnapshots, readSnapshot, type Snapshot, snapshotKey } from './snapshot.ts';
import { leaseTarget } from './target-lease.ts';

const DAY_MS = 24 * 3600 * 1000;
const KEYS_AT_ONCE = 1000;

/** A backup is kept if one of the rules keeps it. The newest one is always kept. */
export type KeepRules = {
  /** Keeps this many of the newest backups. Null: there is no such rule. */
  readonly last: number | null;
  /** Keeps the backups that are at most this many days old. Null: there is no such rule. */
  readonly days: number | null;
};

export type Pruning = {
  readonly removed: readonly string[];
  readonly kept: readonly string[];
  readonly parts: number;
  readonly bytes: number;
};

/** Removes the backups that no rule keeps. Throws, and removes nothing, if a backup runs or a snapshot cannot be read. */
export async function pruneBackups(
  target: FileStore,
  spool: Spool,
  rules: KeepRules,
  now: number,
): Promise<Pruning> {
  await using lease = await leaseTarget(target, spool, 'prune');
  const snapshots: Snapshot[] = [];
  for (const id of await listSnapshots(target)) snapshots.push(await readOrExplain(target, id));
  const keeps = (snapshot: Snapshot, age: number): boolean =>
    age === 0 ||
    (rules.last !== null && age < rules.last) ||
    (rules.days !== null && snapshot.created_at >= now - rules.days * DAY_MS);
  const kept = snapshots.filter((one, index) => keeps(one, snapshots.length - 1 - index));
  const removed = snapshots.filter((one) => !kept.includes(one)).map(({ id }) => id);
  // First, so that no backup is left that lacks parts.
  await target.remove(removed.map(snapshotKey));
  const needed = new Set(kept.flatMap((snapshot) => [...partsOf(snapshot).keys()]));
  let parts = 0;
  let bytes = 0;
  for (const folder of PART_FOLDERS) {
    const unused: string[] = [];
    for await (const file of target.list(folder)) {
      if (needed.has(file.key)) continue;
      unused.push(file.key);
      parts++;
      bytes += file.bytes;
    }
    for (let start = 0; start < unused.length; start += KEYS_AT_ONCE) {
      lease.confirm();
      await target.remove(unused.slice(start, start + KEYS_AT_ONCE));
    }
  }
  return { removed, kept: kept.map(({ id }) => id), parts, bytes };
}

async function readOrExplain(target: FileStore, id: string): Promise<Snapshot> {
  try {
    return await readSnapshot(target, id);
  } catch (error) {
    if (!(error instanceof BackupFault)) throw error;
    throw new Error(
      `Cannot prune: ${error.message}. It is unknown which contents it needs. Move it away to lose this backup, and prune again`,
      { cause: error },
    );
  }
}
