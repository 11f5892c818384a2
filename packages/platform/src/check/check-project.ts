// Compares the rows of one project with its files in the store, both ways.
import type { StoredFile } from '../files/file-store.ts';
import { placeOf } from '../files/keys.ts';
import { startLanes } from '../files/lanes.ts';
import type { Platform } from '../platform.ts';
import { type ExpectedFile, expectedFiles } from './expected-files.ts';
import { type Fault, verifyFile } from './verify-file.ts';

/** What a check needs of the platform. */
export type CheckContext = Pick<
  Platform,
  'db' | 'database' | 'files' | 'spool' | 'attemptLeaseMs' | 'log'
>;

export type CheckOptions = {
  /** Compares only sizes, and reads no file. */
  readonly sizesOnly: boolean;
  /** Orphans that are newer than this are ignored: a running publish may have just stored them. */
  readonly graceMs: number;
  /** Restores what the stored ZIPs contain, and removes orphans. */
  readonly repair: boolean;
};

/** A difference between the rows and the store. `orphaned`: no row refers to the file. */
export type Problem = {
  readonly kind: 'missing' | 'damaged' | 'orphaned';
  readonly gameId: string;
  readonly key: string;
  readonly bytes: number | null;
  /** The versions of the releases that need the file. */
  readonly versions: readonly string[];
  /** The expected file; null for an orphan. */
  readonly expected: ExpectedFile | null;
  /** Why the file cannot be read. */
  readonly reason: string | null;
};

/** A problem after the check, with what was done. `reason` also says why a repair failed. */
export type Report = Problem & {
  readonly outcome: 'found' | 'restored' | 'removed' | 'failed';
};

/** The problems of a project, with the number and size of the files that were checked. */
export type CheckedProject = {
  readonly problems: readonly Problem[];
  readonly files: number;
  readonly bytes: number;
};

/** Each verification reads one file, and a content with its variants is usually small. */
const FILES_AT_ONCE = 4;

/** Checks all files of a project. It may change meanwhile: what a running publish stores is not a problem. */
export async function checkProject(
  context: CheckContext,
  gameId: string,
  options: CheckOptions,
): Promise<CheckedProject> {
  const { db, files } = context;
  const stored = new Map<string, StoredFile>();
  for await (const file of files.list(gameId)) stored.set(file.key, file);
  // The order matters: if an attempt is committed after the list was read, its rows are read after its state.
  const open = await openPlaces(context, gameId);
  const expected = await expectedFiles(db, gameId);
  const problems: Problem[] = [];
  const lanes = startLanes(FILES_AT_ONCE);
  for (const one of expected.values()) {
    lanes.add(async () => {
      const isListed = stored.get(one.key)?.bytes === one.bytes;
      if (options.sizesOnly && isListed) return;
      const fault = await verifyFile(context, one, options.sizesOnly);
      if (fault !== null) problems.push(problemOf(gameId, one, fault));
    });
  }
  await lanes.finish();
  const left = problems.length === 0 ? expected : await expectedFiles(db, gameId);
  const orphans = [...stored.values()].filter(
    ({ key, modifiedAt }) =>
      !expected.has(key) && !open.has(placeOf(key)) && Date.now() - modifiedAt >= options.graceMs,
  );
  return {
    // A file whose release was deleted during the check is no longer expected.
    problems: [
      ...problems.filter((problem) => left.has(problem.key)),
      ...orphans.map(({ key, bytes }) => orphan(gameId, key, bytes)),
    ],
    files: expected.size,
    bytes: [...expected.values()].reduce((sum, file) => sum + (file.bytes ?? 0), 0),
  };
}

function problemOf(gameId: string, expected: ExpectedFile, fault: Fault): Problem {
  const { key, bytes, versions } = expected;
  return { ...fault, gameId, key, bytes, versions: [...versions].sort(), expected };
}

/** Creates the problem of a file that no row refers to. */
export function orphan(gameId: string, key: string, bytes: number): Problem {
  return { kind: 'orphaned', gameId, key, bytes, versions: [], expected: null, reason: null };
}

/** The places of attempts that may still be committed. */
async function openPlaces({ db }: CheckContext, gameId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('attempts')
    .select('id')
    .where('game_id', '=', gameId)
    .where('state', 'in', ['open', 'receiving'])
    .execute();
  return new Set(rows.map((row) => row.id));
}
