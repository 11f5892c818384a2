// Commits a publish in one transaction. Before it players get the old release, after it the new one.
import { hasContentHash } from '@svc/game-build';
import { actorOf, writeAudit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { lockOwnGame } from '../access/own-game.ts';
import type { ManifestFile } from '../database/manifest.ts';
import { newId } from '../database/new-id.ts';
import { isUniqueViolation } from '../database/open-database.ts';
import type { Db, GamesTable, ReleasesTable, Trx } from '../database/schema.ts';
import { indexGame } from '../database/search-index.ts';
import { failure } from '../failure.ts';
import { writeNotice } from '../notices/write-notice.ts';
import type { Platform } from '../platform.ts';
import { putPreview } from '../previews/put-preview.ts';
import { checkGameNotTakenDown, chosenStatus } from '../projects/game-status.ts';
import type { Attempt } from '../storage/attempt.ts';
import { type Content, contentGone, countReleases, readContents } from '../storage/contents.ts';
import { insertManifest, packFacts, readLiveManifest } from '../storage/manifests.ts';
import { checkStoredBytes } from '../storage/stored-bytes.ts';
import type { JudgedRelease } from './judge-build.ts';

const DAY_MS = 24 * 3600 * 1000;

/**
 * How a release is staged. `preview` is the name of the link that plays it, and replaces the release that the link played before.
 * Null for a new link.
 */
export type Staging = { readonly preview: string | null };

/** A release whose files are stored. */
type StoredRelease = {
  readonly caller: Caller;
  readonly judged: JudgedRelease;
  /** The contents of its files by hash. */
  readonly contents: ReadonlyMap<string, Content>;
  /** Size of the contents that the project did not have before, with their variants. */
  readonly addedBytes: number;
  /** Number of deleted releases of the project before its contents were read. */
  readonly deletedBefore: number;
  /** Null for a release that goes live. */
  readonly staging: Staging | null;
  /** Also done in the same transaction. */
  readonly alsoCommit: ((trx: Trx) => Promise<void>) | undefined;
};

/**
 * Stores the release, makes it live unless it is staged, and returns the changed game. Throws `version_exists`, `quota_exceeded`,
 * `change_interrupted`, and the errors of `lockOwnGame`.
 */
export async function commitRelease(
  platform: Platform,
  attempt: Attempt,
  stored: StoredRelease,
): Promise<GamesTable> {
  const { release } = stored.judged;
  const manifest = { files: manifestOf(stored), facts: await packFacts(stored.judged.facts) };
  try {
    return await attempt.commit(
      (trx) => writeRelease(platform, trx, stored, manifest),
      () => readGame(platform.db, release.game_id),
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = `The version "${release.version}" was used before. Choose another`;
    throw failure('version_exists', message, { details: [{ path: 'version', message }] });
  }
}

async function writeRelease(
  platform: Platform,
  trx: Trx,
  { caller, judged, contents, addedBytes, deletedBefore, staging, alsoCommit }: StoredRelease,
  { files, facts }: { readonly files: readonly ManifestFile[]; readonly facts: Uint8Array | null },
): Promise<GamesTable> {
  const { release } = judged;
  const gameId = release.game_id;
  const game = await lockOwnGame(platform, trx, caller, gameId);
  await checkContents(trx, { release, contents, deletedBefore });
  await trx.insertInto('releases').values(release).execute();
  await insertManifest(trx, { id: release.id, releaseId: release.id, facts }, files);
  const actor = actorOf(caller);
  // Before the quotas are checked, because it may delete a release.
  if (staging !== null) {
    await putPreview(platform, trx, {
      ...{ gameId, releaseId: release.id, version: release.version, name: staging.preview },
      ...{ days: null, ownsRelease: staging.preview !== null, actor },
    });
  }
  await checkCount(platform, trx, gameId);
  await trx
    .updateTable('games')
    .set((eb) => ({ content_bytes: eb('content_bytes', '+', addedBytes) }))
    .where('id', '=', gameId)
    .execute();
  await alsoCommit?.(trx);
  // Checked again, because an update of the store page may have used the space during the upload.
  await checkStoredBytes(platform, trx, { gameId, addedBytes: 0, hint: 'Delete old releases' });
  await writeAudit(trx, {
    at: release.created_at,
    actor,
    action: staging === null ? 'release.published' : 'release.staged',
    subject: gameId,
    detail: release.version,
  });
  if (staging !== null) return await readGame(trx, gameId);
  const changed = await goLive(platform, trx, { game, release, files });
  await notifyOfRelease(trx, caller, { game, release });
  return changed;
}

/** The files of the release, each with the place where its content is stored. */
export function manifestOf({
  judged,
  contents,
}: Pick<StoredRelease, 'judged' | 'contents'>): ManifestFile[] {
  return judged.build.files.map((file) => {
    const content = contents.get(file.sha256);
    if (content === undefined) throw new Error('Cannot publish: a file was not stored');
    const { hash, place, gzip_bytes, br_bytes } = content;
    return {
      ...{ path: file.path, hash, place, type: file.type, encoding: file.encoding },
      ...{ bytes: file.bytes, inner_bytes: file.inner_bytes ?? file.bytes },
      hashed_name: hasContentHash(file.path) ? 1 : 0,
      ...{ gzip_bytes, br_bytes },
    };
  });
}

type Counted = Pick<StoredRelease, 'contents' | 'deletedBefore'> & {
  readonly release: ReleasesTable;
};

/** Throws `change_interrupted` if contents of the build were deleted with another release. */
async function checkContents(
  trx: Trx,
  { release, contents, deletedBefore }: Counted,
): Promise<void> {
  const { deleted } = await countReleases(trx, release.game_id);
  if (deleted === deletedBefore) return;
  const left = await readContents(trx, release.game_id);
  for (const { hash, place } of contents.values()) {
    if (place === release.place || left.get(hash)?.place === place) continue;
    throw contentGone();
  }
}

/** Throws `quota_exceeded` for too many releases. The new one is among them. */
async function checkCount(platform: Platform, trx: Trx, gameId: string): Promise<void> {
  const { all, deleted } = await countReleases(trx, gameId);
  const limit = platform.limits.releases_per_project;
  if (all - deleted <= limit) return;
  throw failure(
    'quota_exceeded',
    `Cannot publish: the project has ${limit} releases. Delete old releases`,
  );
}

function readGame(db: Db | Trx, id: string): Promise<GamesTable> {
  return db.selectFrom('games').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

type Replacement = {
  readonly game: GamesTable;
  readonly release: Pick<ReleasesTable, 'id' | 'created_at'>;
  /** The files of the release. */
  readonly files: readonly ManifestFile[];
};

/** Makes a stored release live, and keeps the replaced one for running games. Returns the changed game. Throws `taken_down`. */
export async function goLive(
  platform: Platform,
  trx: Trx,
  replacement: Replacement,
): Promise<GamesTable> {
  const { game } = replacement;
  checkGameNotTakenDown(game);
  await keepHashedFiles(platform, trx, replacement);
  if (game.live_release_id !== null && game.status === 'published') {
    await trx
      .updateTable('releases')
      .set({ replaced_at: platform.now() })
      .where('id', '=', game.live_release_id)
      .execute();
  }
  return await pointToRelease(platform, trx, replacement);
}

/** Lets the owner know that a release is live, and which token published it. */
export async function notifyOfRelease(
  trx: Trx,
  caller: Caller,
  { game, release }: { readonly game: GamesTable; readonly release: ReleasesTable },
): Promise<void> {
  await writeNotice(trx, {
    ...{ uid: game.developer_uid, at: release.created_at, kind: 'release_published', game },
    version: release.version,
    detail: caller.kind === 'pat' ? caller.token.name : null,
  });
}

/** Keeps replaced files with a content hash in the name for the days of grace, so that running games can load them. */
async function keepHashedFiles(
  platform: Platform,
  trx: Trx,
  { game, files }: Replacement,
): Promise<void> {
  const { live_release_id } = game;
  if (live_release_id === null || game.status !== 'published') return;
  const paths = new Set(files.map((file) => file.path));
  const replaced = await readLiveManifest(trx, live_release_id);
  const gone = replaced.filter((file) => file.hashed_name === 1 && !paths.has(file.path));
  if (gone.length === 0) return;
  const id = newId();
  const until = platform.now() + platform.limits.hashed_files_grace_days * DAY_MS;
  await insertManifest(trx, { id, releaseId: live_release_id }, gone);
  await trx
    .insertInto('kept_manifests')
    .values({ manifest_id: id, game_id: game.id, until })
    .execute();
}

async function pointToRelease(
  platform: Platform,
  trx: Trx,
  { game, release }: Replacement,
): Promise<GamesTable> {
  // A game that was hidden because of its live release has the same place in lists as before.
  const wasPublic = chosenStatus(game) === 'published';
  const changed = await trx
    .updateTable('games')
    .set({
      status: 'published',
      owner_status: null,
      live_release_id: release.id,
      // A draft keeps the time for a rollback only.
      published_at: (wasPublic ? game.published_at : null) ?? release.created_at,
      updated_at: platform.now(),
    })
    .where('id', '=', game.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await indexGame(trx, changed);
  return changed;
}
