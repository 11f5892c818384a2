// The contents that a project has stored, according to the manifests of its releases.
import type { ManifestFile } from '../database/manifest.ts';
import type { Db, Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { FileStore } from '../files/file-store.ts';
import { contentKey, placeFolder } from '../files/keys.ts';
import { manifestsOf } from './manifests.ts';

/** A stored content with the sizes of its compressed variants in bytes; null if there is no such variant. */
export type Content = Pick<ManifestFile, 'hash' | 'place' | 'bytes' | 'gzip_bytes' | 'br_bytes'>;

/** Returns the contents of a project by hash. Of two places with the same content, the newer one is returned. */
export async function readContents(
  db: Db | Trx,
  gameId: string,
): Promise<ReadonlyMap<string, Content>> {
  const contents = new Map<string, Content>();
  for await (const { files } of manifestsOf(db, gameId)) {
    for (const { hash, place, bytes, gzip_bytes, br_bytes } of files) {
      contents.set(hash, { hash, place, bytes, gzip_bytes, br_bytes });
    }
  }
  return contents;
}

/** The numbers of releases of a project. They change if one is added or deleted, and never decrease. */
export type ReleaseCounts = { readonly all: number; readonly deleted: number };

export async function countReleases(db: Db | Trx, gameId: string): Promise<ReleaseCounts> {
  const { all, deleted } = await db
    .selectFrom('releases')
    .select((eb) => [
      eb.fn.countAll<number | string>().as('all'),
      eb.fn.count<number | string>('deleted_at').as('deleted'),
    ])
    .where('game_id', '=', gameId)
    .executeTakeFirstOrThrow();
  return { all: Number(all), deleted: Number(deleted) };
}

/** Returns the keys and sizes of the files of a content. */
export function filesOfContent(gameId: string, content: Content): readonly [string, number][] {
  const { bytes, gzip_bytes, br_bytes } = content;
  const files: [string, number][] = [[contentKey(gameId, content), bytes]];
  if (gzip_bytes !== null) files.push([contentKey(gameId, content, 'gzip'), gzip_bytes]);
  if (br_bytes !== null) files.push([contentKey(gameId, content, 'br'), br_bytes]);
  return files;
}

/** Size of a content with its variants. */
export function bytesOfContent({ bytes, gzip_bytes, br_bytes }: Content): number {
  return bytes + (gzip_bytes ?? 0) + (br_bytes ?? 0);
}

/** Returns whether all files of a content are in the store with their sizes. */
export type ContentCheck = (content: Content) => Promise<boolean>;

/** Creates a check that lists each place at most once, when it is first asked about. */
export function checkContents(files: FileStore, gameId: string): ContentCheck {
  const places = new Map<string, Promise<ReadonlyMap<string, number>>>();
  const sizesIn = (place: string): Promise<ReadonlyMap<string, number>> => {
    const known = places.get(place);
    if (known !== undefined) return known;
    const listed = listSizes(files, placeFolder(gameId, place));
    places.set(place, listed);
    return listed;
  };
  return async (content) => {
    const sizes = await sizesIn(content.place);
    return filesOfContent(gameId, content).every(([key, bytes]) => sizes.get(key) === bytes);
  };
}

async function listSizes(files: FileStore, folder: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { key, bytes } of files.list(folder)) sizes.set(key, bytes);
  return sizes;
}

/** The error for a content of a build that was deleted with another release during the publish. */
export function contentGone(): Error {
  return failure(
    'change_interrupted',
    'Cannot publish: a release that shares files with this build was deleted meanwhile. Nothing was changed. Publish again',
  );
}
