// Publishes a build: claims the project, reads the upload, judges it, stores its files, and commits in one transaction.
import type { BuildFinding, Game, Release, ReleaseDiff } from '@svc/contracts/platform';
import { extractEntries } from '@svc/game-build';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import type { GamesTable, ReleasesTable } from '../database/schema.ts';
import { buildKey, syncFile } from '../files/file-store.ts';
import type { SpoolFolder } from '../files/spool.ts';
import type { Platform } from '../platform.ts';
import { gameRecord, releaseRecord } from '../projects/game-records.ts';
import { claimForPublish } from '../storage/claim-game.ts';
import { collectUnused } from '../storage/collect-unused.ts';
import { checkStoredBytes, storedBytes } from '../storage/stored-bytes.ts';
import { commitRelease } from './commit-release.ts';
import { type JudgedRelease, judgeUpload } from './judge-upload.ts';
import { type Content, keepContents } from './keep-contents.ts';
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
  const { game } = publish;
  await using claim = await claimForPublish(platform, game.id);
  if (claim.tookOver) await collectUnused(platform, game.id);
  await using folder = await platform.spool.openFolder();
  const { judged, changed } = await keepRelease(platform, publish, folder);
  return {
    game: await gameRecord(platform, changed, 'owner'),
    release: releaseRecord(judged.release, changed),
    diff: judged.diff,
    findings: judged.findings,
  };
}

/** Reads, judges, stores and commits the release. Removes the stored files only if this fails before the commit. */
async function keepRelease(
  platform: Platform,
  { caller, game, request }: PublishRequest,
  folder: SpoolFolder,
): Promise<{ judged: JudgedRelease; changed: GamesTable }> {
  const upload = await readUpload(platform, game, request, folder);
  const batch = platform.files.startBatch();
  try {
    const known = await knownContents(platform, game.id);
    // The archive is synced to the disk while it is unpacked.
    const synced = syncFile(upload.build.path).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    const keeper = keepContents(game.id, folder, batch, known);
    const judged = await judgeUpload(platform, game, upload, (archive) =>
      extractEntries(archive, keeper.sink, { signal: request.abortSignal }),
    );
    const added = [...keeper.added.values()];
    await checkQuota(platform, judged.release, added);
    const unsynced = await synced;
    if (unsynced !== null) throw unsynced.error;
    await batch.put(buildKey(game.id, judged.release.id), upload.build.path);
    await batch.settle();
    const changed = await commitRelease(platform, caller, judged, added);
    return { judged, changed };
  } catch (error) {
    await batch.undo();
    throw error;
  }
}

/** Judges the upload of the request as a publish would, and stores nothing. */
export async function dryRunRelease(
  platform: Platform,
  game: GamesTable,
  request: FastifyRequest,
): Promise<JudgedRelease> {
  await using folder = await platform.spool.openFolder();
  const upload = await readUpload(platform, game, request, folder);
  const judged = await judgeUpload(platform, game, upload, (archive) =>
    extractEntries(archive, null, { signal: request.abortSignal }),
  );
  const known = await knownContents(platform, game.id);
  const added = judged.build.files
    .filter((file) => !known.has(file.sha256))
    .map((file) => ({ hash: file.sha256, bytes: file.bytes, gzip_bytes: null, br_bytes: null }));
  await checkQuota(platform, judged.release, added);
  return judged;
}

async function knownContents(platform: Platform, gameId: string): Promise<ReadonlySet<string>> {
  const contents = await platform.db
    .selectFrom('contents')
    .select('hash')
    .where('game_id', '=', gameId)
    .execute();
  return new Set(contents.map((content) => content.hash));
}

/** Throws `quota_exceeded` if the project has no space for the release. */
async function checkQuota(
  platform: Platform,
  release: ReleasesTable,
  added: readonly Content[],
): Promise<void> {
  const before = await storedBytes(platform.db, release.game_id);
  const stored = added.reduce(
    (sum, { bytes, gzip_bytes, br_bytes }) => sum + bytes + (gzip_bytes ?? 0) + (br_bytes ?? 0),
    before + release.zip_bytes,
  );
  checkStoredBytes(platform, stored, 'Delete old releases');
}
