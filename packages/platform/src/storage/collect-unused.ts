// Removes files of a project that no row refers to, after the deletion of a release or the replacement of media.
import { buildKey, LEGACY_PLACES, placeOf } from '../files/keys.ts';
import type { Platform } from '../platform.ts';
import { bytesOfContent, countReleases, filesOfContent, type ReleaseCounts } from './contents.ts';
import { manifestsOf } from './manifests.ts';
import { areRemovalsHeld } from './removal-hold.ts';
import { mediaKeys } from './stored-bytes.ts';
import { setUnused } from './unused-places.ts';

/** The parts of the platform that know what is stored. */
export type StoredParts = Pick<Platform, 'db' | 'database' | 'files'>;

const OLD_PLACES: ReadonlySet<string> = new Set(Object.values(LEGACY_PLACES));

/**
 * Removes the files in committed places that no row refers to. They can't be used again: a new attempt writes to its own
 * place, and its commit fails if a release whose contents it shares was deleted meanwhile. So this needs no lock. Returns false if a release was added or deleted
 * meanwhile, or if a backup holds the files: then it must be repeated.
 */
export async function collectUnused(platform: StoredParts, gameId: string): Promise<boolean> {
  const { db, files } = platform;
  const counts = await countReleases(db, gameId);
  const stored: string[] = [];
  for await (const { key } of files.list(gameId)) stored.push(key);
  // The order matters: if an attempt is committed after the list was read, its rows are read after its state.
  const committed = await committedPlaces(platform, gameId);
  const { keys: used, contentBytes } = await usedFiles(platform, gameId);
  const unused = stored.filter(
    (key) => (committed.has(placeOf(key)) || OLD_PLACES.has(placeOf(key))) && !used.has(key),
  );
  // A backup may have begun since. The snapshot of one that begins later has none of these files.
  if (await areRemovalsHeld(platform)) return false;
  await files.remove(unused);
  const places = new Set([...used].map(placeOf));
  const unusedPlaces = [...committed].filter((place) => !places.has(place));
  await setUnused(platform, db, unusedPlaces);
  return saveContentBytes(platform, gameId, { counts, contentBytes });
}

/** Saves the size of the contents, unless a release was added or deleted since it was determined. */
async function saveContentBytes(
  { db }: StoredParts,
  gameId: string,
  { counts, contentBytes }: { counts: ReleaseCounts; contentBytes: number },
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const game = trx.updateTable('games').where('id', '=', gameId);
    // Locks the row: a publish waits, or its release is counted.
    await game.set((eb) => ({ content_bytes: eb.ref('content_bytes') })).execute();
    const { all, deleted } = await countReleases(trx, gameId);
    if (all !== counts.all || deleted !== counts.deleted) return false;
    await game.set({ content_bytes: contentBytes }).execute();
    return true;
  });
}

async function committedPlaces({ db }: StoredParts, gameId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('attempts')
    .select('id')
    .where('game_id', '=', gameId)
    .where('state', '=', 'committed')
    .execute();
  return new Set(rows.map((row) => row.id));
}

/** The files that rows of a project refer to: their keys, and the total size of contents of builds. */
type UsedFiles = { readonly keys: ReadonlySet<string>; readonly contentBytes: number };

/** Returns the files that rows of the project refer to. */
export async function usedFiles({ db }: Pick<Platform, 'db'>, gameId: string): Promise<UsedFiles> {
  const keys = new Set<string>();
  let contentBytes = 0;
  for await (const { files } of manifestsOf(db, gameId)) {
    for (const content of files) {
      const named = filesOfContent(gameId, content);
      if (named[0] !== undefined && keys.has(named[0][0])) continue;
      for (const [key] of named) keys.add(key);
      contentBytes += bytesOfContent(content);
    }
  }
  const releases = await db
    .selectFrom('releases')
    .select(['id', 'place'])
    .where('game_id', '=', gameId)
    .where('deleted_at', 'is', null)
    .where('zip_stored', '=', 1)
    .execute();
  for (const release of releases) keys.add(buildKey(gameId, release));
  const media = await db
    .selectFrom('media')
    .select(['file', 'variants', 'place'])
    .where('game_id', '=', gameId)
    .execute();
  for (const key of media.flatMap((row) => mediaKeys(gameId, row))) keys.add(key);
  return { keys, contentBytes };
}
