// Removes old backups, and the parts that no backup needs any more.
import type { FileStore } from '../files/file-store.ts';
import type { Spool } from '../files/spool.ts';
import { BackupFault } from './backup-fault.ts';
import { isPartKey, PART_FOLDERS, partsOf } from './parts.ts';
import { listSnapshots, readSnapshot, type Snapshot, snapshotKey } from './snapshot.ts';
import { leaseTarget } from './target-lease.ts';

const DAY_MS = 24 * 3600 * 1000;
const KEYS_AT_ONCE = 1000;

/** A backup is kept if one of the rules keeps it. The newest one is always kept. */
type KeepRules = {
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

type PruneOptions = {
  readonly rules: KeepRules;
  readonly now: number;
  readonly signal: AbortSignal;
};

/**
 * Removes the backups that no rule keeps. Throws, and removes nothing, if a backup runs, if a snapshot cannot be read, or if there
 * is no backup: then the target may be another folder.
 */
export async function pruneBackups(
  target: FileStore,
  spool: Spool,
  { rules, now, signal }: PruneOptions,
): Promise<Pruning> {
  await using lease = await leaseTarget(target, spool, 'prune');
  const ids = await listSnapshots(target);
  if (ids.length === 0) throw new Error('The target has no backup');
  const removed: string[] = [];
  const kept: string[] = [];
  const needed = new Set<string>();
  for (const [index, id] of ids.entries()) {
    signal.throwIfAborted();
    // One at a time: each may have millions of files.
    const snapshot = await readOrExplain(target, id);
    if (!isKept(snapshot, ids.length - 1 - index, rules, now)) {
      removed.push(id);
      continue;
    }
    kept.push(id);
    for (const key of partsOf(snapshot).keys()) needed.add(key);
  }
  const remove = async (keys: readonly string[]): Promise<void> => {
    signal.throwIfAborted();
    lease.confirm();
    await target.remove(keys);
  };
  // First, so that no backup is left that lacks parts.
  await remove(removed.map(snapshotKey));
  let parts = 0;
  let bytes = 0;
  for (const folder of PART_FOLDERS) {
    const unused: string[] = [];
    for await (const file of target.list(folder)) {
      if (needed.has(file.key) || !isPartKey(file.key)) continue;
      unused.push(file.key);
      parts++;
      bytes += file.bytes;
    }
    for (let start = 0; start < unused.length; start += KEYS_AT_ONCE) {
      await remove(unused.slice(start, start + KEYS_AT_ONCE));
    }
  }
  return { removed, kept, parts, bytes };
}

/** Returns whether a rule keeps a backup. `age` is the number of newer ones. */
function isKept({ created_at }: Snapshot, age: number, rules: KeepRules, now: number): boolean {
  return (
    age === 0 ||
    (rules.last !== null && age < rules.last) ||
    (rules.days !== null && created_at >= now - rules.days * DAY_MS)
  );
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
