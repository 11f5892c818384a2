// The files of a project that must be in the store, according to its rows.
import type { Db, GamesTable, MediaTable } from '../database/schema.ts';
import { buildKey } from '../files/keys.ts';
import { pageSlug } from '../projects/game-records.ts';
import type { Content } from '../storage/contents.ts';
import { filesOfContent } from '../storage/contents.ts';
import { manifestsOf } from '../storage/manifests.ts';
import { mediaFiles } from '../storage/stored-bytes.ts';

/** How the bytes of a file are verified. */
export type Proof =
  /** The SHA-256 of the file, or of what it contains compressed. */
  | { readonly kind: 'content'; readonly content: Content; readonly coding: 'gzip' | 'br' | null }
  /** The digest of the build in the ZIP. */
  | { readonly kind: 'build'; readonly digest: string }
  /** The SHA-256 of the file. Null: only the size is known, because an older version stored it. */
  | { readonly kind: 'media'; readonly hash: string | null; readonly medium: Medium };

/** Where an image or a trailer is seen: the slug of the game, and `banner`, `cover`, `trailer`, or `screenshot 2`. */
export type Medium = { readonly slug: string; readonly name: string };

export type ExpectedFile = {
  readonly key: string;
  /** Null if an older version did not store the size. */
  readonly bytes: number | null;
  readonly proof: Proof;
  /** The versions of the releases that need it. Empty for media. */
  readonly versions: Set<string>;
};

/** Returns the expected files of a project by key. */
export async function expectedFiles(
  db: Db,
  gameId: string,
): Promise<ReadonlyMap<string, ExpectedFile>> {
  const files = new Map<string, ExpectedFile>();
  const releases = await db
    .selectFrom('releases')
    .select(['id', 'place', 'version', 'zip_bytes', 'zip_stored', 'digest'])
    .where('game_id', '=', gameId)
    .where('deleted_at', 'is', null)
    .execute();
  const versions = new Map(releases.map(({ id, version }) => [id, version]));
  for await (const { releaseId, files: listed } of manifestsOf(db, gameId)) {
    const version = versions.get(releaseId);
    for (const content of listed) {
      for (const [index, [key, bytes]] of filesOfContent(gameId, content).entries()) {
        const known = files.get(key);
        const coding = index === 0 ? null : key.endsWith('.br') ? 'br' : 'gzip';
        const proof = { kind: 'content', content, coding } as const;
        const file = known ?? { key, bytes, proof, versions: new Set() };
        if (version !== undefined) file.versions.add(version);
        files.set(key, file);
      }
    }
  }
  for (const release of releases.filter((one) => one.zip_stored === 1)) {
    const key = buildKey(gameId, release);
    const proof = { kind: 'build', digest: release.digest } as const;
    const needed = new Set([release.version]);
    files.set(key, { key, bytes: release.zip_bytes, proof, versions: needed });
  }
  for (const file of await expectedMedia(db, gameId)) files.set(file.key, file);
  return files;
}

async function expectedMedia(db: Db, gameId: string): Promise<ExpectedFile[]> {
  const rows = await db
    .selectFrom('media')
    .innerJoin('games', 'games.id', 'media.game_id')
    .select(['media.id', 'media.kind', 'file', 'bytes', 'variants', 'place', 'hash'])
    .select(['slug', 'page_slug', 'banner_id', 'cover_id', 'trailer_id', 'screenshots'])
    .where('game_id', '=', gameId)
    .execute();
  return rows.flatMap((row) => {
    const medium = { slug: pageSlug(row), name: nameOnPage(row) };
    return mediaFiles(gameId, row).map(
      ({ key, bytes, hash }): ExpectedFile => ({
        ...{ key, bytes, versions: new Set() },
        proof: { kind: 'media', hash, medium },
      }),
    );
  });
}

type OnPage = Pick<MediaTable, 'id' | 'kind'> &
  Pick<GamesTable, 'banner_id' | 'cover_id' | 'trailer_id' | 'screenshots'>;

/** Returns what a person calls the medium; `image` or `video` if the page does not show it. */
function nameOnPage({ id, kind, banner_id, cover_id, trailer_id, screenshots }: OnPage): string {
  const shots: string[] = JSON.parse(screenshots);
  const named = new Map<string | null, string>([
    ...shots.map((shot, index) => [shot, `screenshot ${index + 1}`] as const),
    [trailer_id, 'trailer'],
    [cover_id, 'cover'],
    [banner_id, 'banner'],
  ]);
  return named.get(id) ?? kind;
}
