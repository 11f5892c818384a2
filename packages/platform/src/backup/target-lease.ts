// A backup and a removal of old backups must not run on one target at the same time: the latter might remove a part that the
// former has just found. Each writes a lock first, and then looks for locks of the other kind. At least one of them finds one.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { FileStore, StoredFile } from '../files/file-store.ts';
import type { Spool } from '../files/spool.ts';
import { isErrno } from '../files/storage-error.ts';

type Kind = 'backup' | 'prune';

const FOLDER = 'locks';
/** A lock counts for this long after it was written, by the clock of the target. Those of killed processes end with it. */
const LEASE_MS = 600_000;
const RENEW_MS = 60_000;
/** A lock that was not renewed for this long is lost, so that time is left for the next step under it. */
const LOST_MS = LEASE_MS / 2;
const TRIES = 5;

const RUNNING: Readonly<Record<Kind, string>> = {
  backup:
    'A backup to this target is running, or was killed in the last ten minutes. Prune the target later',
  prune:
    'Old backups are being removed from this target, or a removal was killed in the last ten minutes. Start the backup again later',
};

/** A lock that is renewed until it is disposed of. */
export type TargetLease = AsyncDisposable & {
  /** Throws if the lock was ever not renewed in time, because the process was stopped or the target did not answer. */
  confirm(): void;
};

/** Locks the target for work of a kind. Works of one kind may run at the same time. Throws if work of the other kind runs. */
export async function leaseTarget(
  target: FileStore,
  spool: Spool,
  kind: Kind,
): Promise<TargetLease> {
  const stem = `${FOLDER}/${kind}-${randomBytes(8).toString('hex')}`;
  let count = 0;
  let key = '';
  let writtenAt = Date.now();
  let isLost = false;
  // A stored file is never changed, so a renewal writes another one.
  const write = async (): Promise<void> => {
    const startedAt = Date.now();
    const next = `${stem}-${++count}`;
    await createLock(target, spool, next);
    const last = key;
    key = next;
    // A lock that comes back is a lost one too: work of the other kind may have begun in between.
    isLost ||= Date.now() - writtenAt >= LOST_MS;
    writtenAt = startedAt;
    if (last !== '') await target.remove([last]);
  };
  await write();
  let renewal = Promise.resolve();
  const timer = setInterval(() => {
    renewal = renewal.then(write).catch(() => {});
  }, RENEW_MS);
  timer.unref();
  const lease: TargetLease = {
    confirm() {
      isLost ||= Date.now() - writtenAt >= LOST_MS;
      if (!isLost) return;
      throw new Error('The target could not be locked for too long. Start the command again');
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await renewal;
      // If this fails, the lock ends with its lease.
      await target.remove([key]).catch(() => {});
    },
  };
  try {
    await checkOthers(target, key, kind === 'backup' ? 'prune' : 'backup');
    return lease;
  } catch (error) {
    await lease[Symbol.asyncDispose]();
    throw error;
  }
}

async function checkOthers(target: FileStore, own: string, other: Kind): Promise<void> {
  const locks: StoredFile[] = [];
  for await (const file of target.list(FOLDER)) locks.push(file);
  const now = locks.find(({ key }) => key === own)?.modifiedAt ?? Date.now();
  for (const { key, modifiedAt } of locks.filter((one) =>
    one.key.startsWith(`${FOLDER}/${other}-`),
  )) {
    if (now - modifiedAt < LEASE_MS) throw new Error(RUNNING[other]);
    await target.remove([key]);
  }
}

async function createLock(target: FileStore, spool: Spool, key: string): Promise<void> {
  await using folder = await spool.openFolder();
  const path = folder.newFile();
  await writeFile(path, '');
  for (let left = TRIES; ; left--) {
    try {
      await target.create(key, path);
      return;
    } catch (error) {
      // Another process has removed the empty folder of the locks meanwhile.
      if (left === 0 || !isErrno(error, 'ENOENT')) throw error;
    }
  }
}
