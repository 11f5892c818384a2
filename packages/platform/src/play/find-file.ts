// Finds the forms of a file by slug and path.
import { makeRepresentations, type PlayedAt, type Representations } from '@svc/delivery';
import { LRUCache } from 'lru-cache';
import type { ManifestFile } from '../database/manifest.ts';
import { contentKey } from '../files/keys.ts';
import type { Platform } from '../platform.ts';
import { isReleaseTakenDown } from '../projects/taken-down.ts';
import { readManifest } from '../storage/manifests.ts';
import { contentKeyOf, readContentKey } from './content-key.ts';
import {
  createGameFinder,
  type LiveGame,
  type MovedGame,
  type TakenDownGame,
} from './find-game.ts';
import { findPreviewFile } from './find-preview.ts';
import { createReleaseFinder, playableManifests } from './find-release.ts';
import { createManifestCache } from './manifest-cache.ts';
import type { PlayAddress } from './read-address.ts';

/** Largest number of files whose headers are prepared. */
export const CACHED_FILES = 50_000;
const HOUR_SECONDS = 3600;
/** Smaller files are downloaded again with each release, which is faster than a redirect. */
const SHARED_BYTES = 64 * 1024;

/** A file as it is sent. */
export type FoundFile = Representations & {
  /** The name of its content if it is to be requested at the address of that; else null. */
  readonly sharedAs: string | null;
  /** The release that is played. Null for a preview. */
  readonly playedFrom: LiveGame | null;
};

/** A release that may be played and does not have the file. */
export type NoFile = { readonly missingIn: LiveGame };

/** A file of a game, and which release it is from. */
type WantedFile = Pick<Extract<PlayAddress, { kind: 'file' }>, 'slug' | 'path' | 'from'>;

export type FileFinder = {
  /** Returns the file from the cache, or that the game was taken down; null if there is no game, undefined if it is not cached. */
  recall(wanted: WantedFile): FoundFile | TakenDownGame | null | undefined;
  /**
   * Returns the file from the cache or the database; null if there is no game or release that may be played. Or the game whose page
   * has the slug, if it is played at another one. Or that the game was taken down.
   */
  find(wanted: WantedFile): Promise<FoundFile | NoFile | MovedGame | TakenDownGame | null>;
};

export function createFileFinder(platform: Platform): FileFinder {
  const games = createGameFinder(platform);
  const releases = createReleaseFinder(platform);
  const readFile = createManifestCache((id) => readManifest(platform.db, id));
  // A manifest never changes.
  const files = new LRUCache<string, FoundFile>({ max: CACHED_FILES });

  /** Always queries the database, because deleting a release takes its kept files away at once. */
  const findKept = async (game: LiveGame, path: string): Promise<ManifestFile | undefined> => {
    for (const id of await keptManifests(platform, game.id)) {
      const file = await readFile(id, path);
      if (file) return file;
    }
    return undefined;
  };
  const fileKey = (game: LiveGame, path: string): string =>
    `${game.manifestId} ${game.isolation} ${game.profiling} ${path}`;

  const formsOf = (game: LiveGame, file: ManifestFile, at: PlayedAt): FoundFile => {
    const forms = makeRepresentations(file, {
      ...{ isolation: game.isolation, profiling: game.profiling, at },
      embedder: platform.addresses.webOrigin,
      keyOf: (coding) => contentKey(game.id, file, coding),
    });
    const playedFrom = game;
    if (at.kind !== 'release' || !isShared(file)) return { ...forms, sharedAs: null, playedFrom };
    const { path, hash } = file;
    const sharedAs = contentKeyOf(platform, { gameId: game.id, path, hash });
    return { ...forms, sharedAs, playedFrom };
  };

  /**
   * Finds a file at the address of one release. Only its own files are there, also those with other names than hashed ones.
   * Returns undefined if the manifest no longer exists.
   */
  const findOfRelease = async (
    game: LiveGame,
    path: string,
  ): Promise<FoundFile | NoFile | undefined> => {
    const key = `release ${fileKey(game, path)}`;
    const known = files.get(key);
    if (known !== undefined) return known;
    const file = await readFile(game.manifestId, path);
    // A repair gives a release another manifest.
    if (file === null) return undefined;
    if (file === undefined) return { missingIn: game };
    const seconds = platform.limits.replaced_release_hours * HOUR_SECONDS;
    const forms = formsOf(game, file, { kind: 'release', seconds });
    files.set(key, forms);
    return forms;
  };

  /** Returns undefined if the manifest of the game no longer exists. */
  const findIn = async (game: LiveGame, path: string): Promise<FoundFile | NoFile | undefined> => {
    const key = fileKey(game, path);
    const known = files.get(key);
    if (known !== undefined) return known;
    const live = await readFile(game.manifestId, path);
    if (live === null) return undefined;
    const file = live ?? (await findKept(game, path));
    if (file === undefined) return { missingIn: game };
    const forms = formsOf(game, file, { kind: 'live' });
    if (live !== undefined) files.set(key, forms);
    return forms;
  };

  const findLive = async (
    slug: string,
    path: string,
  ): Promise<FoundFile | NoFile | MovedGame | TakenDownGame | null> => {
    const known = games.recall(slug);
    const game = known === undefined ? await games.read(slug) : known;
    if (game === null || 'playedAs' in game || 'takenDown' in game) return game;
    const found = await findIn(game, path);
    // What is missing in a game that was read for this request is missing.
    const isMissing = found === undefined || 'missingIn' in found;
    if (!isMissing || (found !== undefined && known === undefined)) return found;
    // The page may have come from another process, which has heard of the next release before this one. And a release that
    // is replaced and deleted, or repaired, loses its manifest.
    const next = await games.read(slug);
    if (next === null || 'playedAs' in next) return null;
    if ('takenDown' in next) return next;
    if (next.manifestId === game.manifestId) return found ?? null;
    return (await findIn(next, path)) ?? null;
  };

  /** Finds a content in the live release, or in another one that may be played. */
  const findContent = async (
    slug: string,
    path: string,
    key: string,
  ): Promise<FoundFile | TakenDownGame | null> => {
    const known = games.recall(slug);
    const game = known === undefined ? await games.read(slug) : known;
    if (game === null || 'playedAs' in game) return null;
    if ('takenDown' in game) return game;
    const hash = readContentKey(platform, { gameId: game.id, path, key });
    if (hash === null) return null;
    const findShared = async (manifestId: string): Promise<FoundFile | null> => {
      const file = await readFile(manifestId, path);
      return file?.hash === hash ? formsOf(game, file, { kind: 'content' }) : null;
    };
    const live = await findShared(game.manifestId);
    if (live !== null) return live;
    for (const id of await playableManifests(platform, game.id)) {
      const found = await findShared(id);
      if (found !== null) return found;
    }
    return null;
  };

  return {
    recall({ slug, path, from }) {
      if (from.kind === 'preview' || from.kind === 'content') return undefined;
      const game = from.kind === 'live' ? games.recall(slug) : releases.recall(slug, from.id);
      if (game === undefined || game === null || 'takenDown' in game) return game;
      const key = fileKey(game, path);
      return files.get(from.kind === 'live' ? key : `release ${key}`);
    },
    async find({ slug, path, from }) {
      switch (from.kind) {
        case 'live':
          return await findLive(slug, path);
        case 'preview': {
          const wanted = { slug, token: from.token, path };
          const forms = await findPreviewFile(platform, readFile, wanted);
          return forms && { ...forms, sharedAs: null, playedFrom: null };
        }
        case 'content':
          return await findContent(slug, path, from.key);
        case 'release': {
          const known = releases.recall(slug, from.id);
          const found = known && (await findOfRelease(known, path));
          if (found !== undefined) return found;
          const release = await releases.read(slug, from.id);
          if (release !== null) return (await findOfRelease(release, path)) ?? null;
          return (await isReleaseTakenDown(platform, slug, from.id)) ? { takenDown: true } : null;
        }
      }
    },
  };
}

/**
 * Whether all releases share the file at the address of its content. The address of a page, a script or a style must stay that of its
 * release, because they refer to other files by relative addresses.
 */
function isShared({ type, bytes }: ManifestFile): boolean {
  return (
    bytes >= SHARED_BYTES &&
    !/^(?:text\/|image\/svg|application\/(?:javascript|json|xml|xhtml|manifest))|\+(?:json|xml)\b/.test(
      type,
    )
  );
}

/** Returns the ids of the manifests of kept files, the last replaced release first. */
async function keptManifests({ db, now }: Platform, gameId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('kept_manifests')
    .innerJoin('manifests', 'manifests.id', 'kept_manifests.manifest_id')
    .innerJoin('releases', 'releases.id', 'manifests.release_id')
    .select('kept_manifests.manifest_id')
    .where('kept_manifests.game_id', '=', gameId)
    .where('kept_manifests.until', '>', now())
    .where('releases.taken_down_at', 'is', null)
    .orderBy('kept_manifests.until', 'desc')
    .orderBy('kept_manifests.manifest_id', 'desc')
    .execute();
  return rows.map((row) => row.manifest_id);
}
