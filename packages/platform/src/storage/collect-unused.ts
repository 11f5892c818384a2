// Removes files that no row refers to: after the deletion of a release, and after a crash.
import type { Platform } from '../platform.ts';

/**
 * Removes builds and files of builds that no row of the project refers to. The caller must hold the publish claim, so that
 * no publish adds files meanwhile.
 */
export async function collectUnused(platform: Platform, gameId: string): Promise<void> {
  await dropUnusedRows(platform, gameId);
  const { db, files } = platform;
  const contents = await db
    .selectFrom('contents')
    .select('hash')
    .where('game_id', '=', gameId)
    .execute();
  const known = new Set(contents.map((content) => content.hash));
  for (const key of await files.list(`${gameId}/files`)) {
    const hash = /\/([0-9a-f]{64})(?:\.(?:gzip|br))?$/.exec(key)?.[1];
    if (hash === undefined || !known.has(hash)) await files.remove(key);
  }
  const releases = await db
    .selectFrom('releases')
    .select('id')
    .where('game_id', '=', gameId)
    .where('deleted_at', 'is', null)
    .execute();
  const builds = new Set(releases.map((release) => `${gameId}/builds/${release.id}.zip`));
  for (const key of await files.list(`${gameId}/builds`)) {
    if (!builds.has(key)) await files.remove(key);
  }
}

/** Removes media files that no row refers to. The caller must hold the media claim. */
export async function collectUnusedMedia(platform: Platform, gameId: string): Promise<void> {
  const rows = await platform.db
    .selectFrom('media')
    .select(['file', 'variants'])
    .where('game_id', '=', gameId)
    .execute();
  const named = new Set(
    rows.flatMap((row) => {
      const variants: { file: string }[] = JSON.parse(row.variants);
      return [row.file, ...variants.map((variant) => variant.file)];
    }),
  );
  for (const key of await platform.files.list(`${gameId}/media`)) {
    if (!named.has(key.slice(key.lastIndexOf('/') + 1))) await platform.files.remove(key);
  }
}

/** Deletes the rows of contents that no release refers to. Kept files belong to releases that still exist. */
async function dropUnusedRows({ db }: Platform, gameId: string): Promise<void> {
  await db
    .deleteFrom('contents')
    .where('game_id', '=', gameId)
    .where('hash', 'not in', (eb) =>
      eb
        .selectFrom('release_files')
        .innerJoin('releases', 'releases.id', 'release_files.release_id')
        .select('release_files.hash')
        .where('releases.game_id', '=', gameId),
    )
    .execute();
}
