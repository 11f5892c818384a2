// Finds lost contents in the stored ZIPs of a project, and stores them again.
import { type BuildSink, extractEntries } from '@svc/game-build';
import type { FileStore } from '../files/file-store.ts';
import { buildKey } from '../files/keys.ts';
import { keepContents } from '../publishing/keep-contents.ts';
import type { Attempt } from '../storage/attempt.ts';
import type { Content } from '../storage/contents.ts';
import type { CheckContext } from './check-project.ts';
import { openIfThere, UnreadableFileError } from './read-stored.ts';
import { copyToDisk, digestOf, readStoredArchive } from './verify-file.ts';

type Search = {
  readonly gameId: string;
  readonly lost: ReadonlyMap<string, Content>;
  /** The contents are stored in its place. */
  readonly attempt: Attempt;
};

/** Stores the lost contents that the ZIPs of the project contain, durably, and returns them by hash. */
export async function extractLost(
  context: CheckContext,
  { gameId, lost, attempt }: Search,
): Promise<ReadonlyMap<string, Content>> {
  const releases = await context.db
    .selectFrom('releases')
    .select(['id', 'place', 'digest'])
    .where('game_id', '=', gameId)
    .where('deleted_at', 'is', null)
    .where('zip_stored', '=', 1)
    .orderBy('id', 'desc')
    .execute();
  const found = new Map<string, Content>();
  for (const release of releases) {
    if (found.size === lost.size) break;
    const zip = { key: buildKey(gameId, release), digest: release.digest };
    const isWanted = (hash: string): boolean => lost.has(hash) && !found.has(hash);
    for (const content of await extractZip(context, zip, { gameId, attempt, isWanted })) {
      found.set(content.hash, content);
    }
  }
  return found;
}

type Extraction = Pick<Search, 'gameId' | 'attempt'> & {
  readonly isWanted: (hash: string) => boolean;
};

/** Stores the wanted contents of one ZIP. None if the ZIP is missing or damaged. The spool then has no file of it any more. */
async function extractZip(
  { files, spool }: CheckContext,
  zip: { readonly key: string; readonly digest: string },
  { gameId, attempt, isWanted }: Extraction,
): Promise<readonly Content[]> {
  await using folder = await spool.openFolder();
  const path = folder.newFile();
  if (!(await copyStored(files, zip.key, path))) return [];
  if ((await digestOf(path)) !== zip.digest) return [];
  const { added, sink } = keepContents({ gameId, folder, attempt, find: async () => null });
  await using archive = await readStoredArchive(path);
  await extractEntries(archive, onlyWanted(sink, isWanted), { signal: attempt.signal });
  // The files of the folder are stored in the background.
  await attempt.batch.settle();
  return added;
}

/** Copies a file of the store to a local path. Returns false if it is missing or cannot be read. */
async function copyStored(files: FileStore, key: string, path: string): Promise<boolean> {
  try {
    const file = await openIfThere(files, key);
    if (file === null) return false;
    try {
      await copyToDisk(file, path);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (error instanceof UnreadableFileError) return false;
    throw error;
  }
}

/** A sink that discards all other files as soon as their hash is known. */
function onlyWanted(sink: BuildSink, isWanted: (hash: string) => boolean): BuildSink {
  return async (entry) => {
    const writer = await sink(entry);
    return {
      ...writer,
      finish: (file) => (isWanted(file.sha256) ? writer.finish(file) : writer.abort()),
    };
  };
}
