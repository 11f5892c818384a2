// Publishes a build: opens an attempt, reads the upload, judges it, stores its files, and commits in one transaction.
import type { BuildFinding, Game, Release, ReleaseDiff } from '@svc/contracts/platform';
import { extractEntries } from '@svc/game-build';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { newId } from '../database/new-id.ts';
import type { GamesTable } from '../database/schema.ts';
import { buildKey } from '../files/keys.ts';
import { settleBatch } from '../files/settle-batch.ts';
import type { SpoolFolder } from '../files/spool.ts';
import { syncFile } from '../files/sync-path.ts';
import type { Platform } from '../platform.ts';
import { gameRecord, releaseRecord } from '../projects/game-records.ts';
import { type Attempt, inAttempt } from '../storage/attempt.ts';
import {
  bytesOfContent,
  type Content,
  checkContents,
  countReleases,
  readContents,
} from '../storage/contents.ts';
import { checkStoredBytes, storedBytes } from '../storage/stored-bytes.ts';
import { commitRelease } from './commit-release.ts';
import { type JudgedRelease, judgeUpload } from './judge-upload.ts';
import { keepContents } from './keep-contents.ts';
import { readUpload } from './read-upload.ts';

/** The caller's publish of one game. */
type PublishRequest = {
  readonly caller: Caller;
  readonly game: GamesTable;
  readonly request: FastifyRequest;
};

/** Publishes the upload of the request and returns the answer's records. */
export async function publishRelease(
  platform: Platform,
  publish: PublishRequest,
): Promise<{ game: Game; release: Release; diff: ReleaseDiff; findings: BuildFinding[] }> {
  const target = { gameId: publish.game.id, kind: 'publish' } as const;
  const { judged, changed } = await inAttempt(platform, target, async (attempt) => {
    await using folder = await platform.spool.openFolder();
    // Awaited here because the folder is removed when this function returns.
    return await storeRelease(platform, publish, { attempt, folder });
  });
  return {
    game: await gameRecord(platform, changed, 'owner'),
    release: releaseRecord(judged.release, changed),
    diff: judged.diff,
    findings: judged.findings,
  };
}

type Workplace = { readonly attempt: Attempt; readonly folder: SpoolFolder };

/** Reads, judges, stores and commits the release. */
async function storeRelease(
  platform: Platform,
  { caller, game, request }: PublishRequest,
  { attempt, folder }: Workplace,
): Promise<{ judged: JudgedRelease; changed: GamesTable }> {
  const upload = await readUpload(platform, game, request, folder);
  // Read before the contents: the commit fails if one of them was deleted since.
  const { deleted } = await countReleases(platform.db, game.id);
  // The archive is synced to the disk while it is unpacked.
  const synced = syncFile(upload.build.path).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  const find = await contentFinder(platform, game.id);
  const keeper = keepContents({ gameId: game.id, folder, attempt, find });
  const signal = AbortSignal.any([request.abortSignal, attempt.signal]);
  const judged = await judgeUpload(platform, game, {
    upload,
    releaseId: attempt.id,
    extract: (archive) => extractEntries(archive, keeper.sink, { signal }),
  });
  const addedBytes = keeper.added.reduce((sum, content) => sum + bytesOfContent(content), 0);
  await checkQuota(platform, judged, addedBytes);
  const unsynced = await synced;
  if (unsynced !== null) throw unsynced.error;
  await attempt.batch.put(buildKey(game.id, judged.release), upload.build.path);
  await settleBatch(attempt.batch, signal);
  const { contents } = keeper;
  const changed = await commitRelease(platform, attempt, {
    ...{ caller, judged, contents, addedBytes },
    deletedBefore: deleted,
  });
  return { judged, changed };
}

/** Returns the function that finds a content that the project has already stored. A damaged store may lack one. */
async function contentFinder(
  platform: Platform,
  gameId: string,
): Promise<(hash: string) => Promise<Content | null>> {
  const known = await readContents(platform.db, gameId);
  const isStored = checkContents(platform.files, gameId);
  return async (hash) => {
    const content = known.get(hash);
    return content !== undefined && (await isStored(content)) ? content : null;
  };
}

/** Judges the upload of the request as a publish would, and stores nothing. */
export async function dryRunRelease(
  platform: Platform,
  game: GamesTable,
  request: FastifyRequest,
): Promise<JudgedRelease> {
  await using folder = await platform.spool.openFolder();
  const upload = await readUpload(platform, game, request, folder);
  const judged = await judgeUpload(platform, game, {
    upload,
    releaseId: newId(),
    extract: (archive) => extractEntries(archive, null, { signal: request.abortSignal }),
  });
  const known = await readContents(platform.db, game.id);
  const added = new Map(judged.build.files.map((file) => [file.sha256, file.bytes]));
  for (const hash of known.keys()) added.delete(hash);
  const addedBytes = [...added.values()].reduce((sum, bytes) => sum + bytes, 0);
  await checkQuota(platform, judged, addedBytes);
  return judged;
}

/** Throws `quota_exceeded` if the project has no space for the ZIP and the new contents of the release. */
async function checkQuota(
  platform: Platform,
  { release }: JudgedRelease,
  addedBytes: number,
): Promise<void> {
  const before = await storedBytes(platform.db, release.game_id);
  checkStoredBytes(platform, before + release.zip_bytes + addedBytes, 'Delete old releases');
}
