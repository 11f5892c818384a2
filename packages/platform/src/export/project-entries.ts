// The entries of a project in an export: its records, its media, and the files of its releases. What is deleted meanwhile is left out.
import { readChunks } from '@svc/delivery';
import type { StreamedFile, ZippedData } from '@svc/game-build';
import type { GamesTable, MediaTable, ReleasesTable } from '../database/schema.ts';
import { mediaKey } from '../files/keys.ts';
import { MissingFileError } from '../files/storage-error.ts';
import { withFirst } from '../http/first-chunk.ts';
import { formatTime } from '../http/format-time.ts';
import type { Platform } from '../platform.ts';
import { listPreviews } from '../previews/preview-routes.ts';
import { formerSlugs } from '../projects/change-slug.ts';
import {
  gameRecord,
  pageSlug,
  releaseRecord,
  storePage,
  takenDownRecord,
} from '../projects/game-records.ts';
import { zippedFiles } from '../publishing/release-zip.ts';
import { readStats } from '../stats/read-stats.ts';
import { readManifest } from '../storage/manifests.ts';
import { listPublishers } from '../trust/publisher-routes.ts';
import { jsonEntry } from './json-entries.ts';

/** An entry of the ZIP. */
export type Entry = StreamedFile | ZippedData;

/** Yields the entries of a project; none if it was removed. */
export async function* projectEntries(
  platform: Platform,
  gameId: string,
  withBuilds: boolean,
): AsyncGenerator<Entry> {
  const game = await platform.db
    .selectFrom('games')
    .selectAll()
    .where('id', '=', gameId)
    .executeTakeFirst();
  if (game === undefined) return;
  const folder = `projects/${pageSlug(game)}`;
  const releases = await readReleases(platform, gameId);
  yield jsonEntry(`${folder}/project.json`, await describeProject(platform, game, releases));
  yield* mediaEntries(platform, gameId, `${folder}/media`);
  if (!withBuilds) return;
  for (const release of releases) {
    yield* releaseEntries(platform, release, `${folder}/releases/${release.version}`);
  }
}

function readReleases({ db }: Platform, gameId: string): Promise<ReleasesTable[]> {
  return db
    .selectFrom('releases')
    .selectAll()
    .where('game_id', '=', gameId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** All records of the project. Addresses that give access to others have no signature, and those of links are left out. */
async function describeProject(
  platform: Platform,
  game: GamesTable,
  releases: readonly ReleasesTable[],
): Promise<object> {
  const { days, missing_files } = await readStats(platform, game, platform.limits.stats_days);
  const previews = await listPreviews(platform, game);
  return {
    project: {
      ...(await gameRecord(platform, game, 'public')),
      taken_down: takenDownRecord(game),
      deleted_at: formatTime(game.deleted_at),
      isolation: game.isolation,
      profiling: game.profiling === 1,
      address: game.address,
      former_slugs: await formerSlugs(platform.db, game),
    },
    page: await storePage(platform, game, 'public'),
    releases: releases.map((release) => releaseRecord(platform, release, game, 'owner')),
    previews: previews.map(({ url: _, ...preview }) => preview),
    publishers: await listPublishers(platform, game),
    stats: { days, missing_files },
  };
}

/** The images and trailers, without the smaller variants that are made of images. */
async function* mediaEntries(
  platform: Platform,
  gameId: string,
  folder: string,
): AsyncGenerator<Entry> {
  const rows = await platform.db
    .selectFrom('media')
    .selectAll()
    .where('game_id', '=', gameId)
    .orderBy('id')
    .execute();
  for (const row of rows) yield* mediumEntry(platform, row, folder);
}

async function* mediumEntry(
  { db, files }: Platform,
  { id, game_id, place, file }: MediaTable,
  folder: string,
): AsyncGenerator<Entry> {
  const isThere = async (): Promise<boolean> =>
    (await db.selectFrom('media').select('id').where('id', '=', id).executeTakeFirst()) !==
    undefined;
  // Opened before the entry begins, so that it can be left out.
  const opened = await files
    .open(mediaKey(game_id, place, file))
    .catch((error: unknown) => orGone(error, isThere));
  if (opened === null) return;
  const content = readChunks(opened, 0, opened.bytes);
  const first = await content.next();
  try {
    yield { path: `${folder}/${file}`, content: withFirst(first, content) };
  } finally {
    await content.return(undefined);
  }
}

async function* releaseEntries(
  platform: Platform,
  { id, game_id, manifest_id }: ReleasesTable,
  folder: string,
): AsyncGenerator<Entry> {
  const { db, files } = platform;
  const isThere = async (): Promise<boolean> => {
    const row = await db
      .selectFrom('releases')
      .select('id')
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    return row !== undefined;
  };
  const listed = await readManifest(db, manifest_id);
  if (listed.length === 0 && (await isThere())) throw new Error('The release has no files');
  const entries = zippedFiles(files, game_id, listed);
  for (;;) {
    const next = await entries.next().catch((error: unknown) => orGone(error, isThere));
    if (next === null || next.done === true) return;
    yield { ...next.value, path: `${folder}/${next.value.path}` };
  }
}

/** Returns null if a file is missing because its record was deleted meanwhile. Throws the error otherwise. */
async function orGone(error: unknown, isThere: () => Promise<boolean>): Promise<null> {
  if (error instanceof MissingFileError && !(await isThere())) return null;
  throw error;
}
