// Verifies backups: reads every part, and compares its hash.
import type { FileStore } from '../files/file-store.ts';
import { startLanes } from '../files/lanes.ts';
import { BackupFault } from './backup-fault.ts';
import { createPartReader, partsOf } from './parts.ts';
import type { Unseal } from './sealing.ts';
import { readSnapshot, type Snapshot } from './snapshot.ts';

const PARTS_AT_ONCE = 4;

export type Verification = {
  readonly snapshots: number;
  readonly parts: number;
  readonly bytes: number;
  readonly faults: number;
};

type VerifyOptions = {
  /** Null: encrypted backups are an error. */
  readonly unseal: Unseal | null;
  readonly signal: AbortSignal;
  /** Receives a line for each fault. */
  readonly onFault: (line: string) => void;
};

/** Verifies the backups with these ids. A part that several need is read once. */
export async function verifyBackups(
  target: FileStore,
  ids: readonly string[],
  { unseal, signal, onFault }: VerifyOptions,
): Promise<Verification> {
  const sum = { snapshots: ids.length, parts: 0, bytes: 0, faults: 0 };
  const report = (error: unknown): void => {
    if (!(error instanceof BackupFault)) throw error;
    sum.faults++;
    onFault(error.message);
  };
  const seen = new Set<string>();
  for (const id of ids) {
    const snapshot: Snapshot | null = await readSnapshot(target, id).catch((error: unknown) => {
      report(error);
      return null;
    });
    if (snapshot === null) continue;
    const readPart = createPartReader(target, snapshot, unseal);
    const lanes = startLanes(PARTS_AT_ONCE);
    for (const [key, part] of partsOf(snapshot)) {
      if (seen.has(key)) continue;
      seen.add(key);
      lanes.add(async () => {
        signal.throwIfAborted();
        sum.parts++;
        sum.bytes += part.bytes;
        try {
          for await (const _ of readPart(part)) signal.throwIfAborted();
        } catch (error) {
          report(error);
        }
      });
    }
    await lanes.finish();
  }
  return sum;
}
