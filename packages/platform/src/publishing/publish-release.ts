// Publishes a ZIP: opens an attempt, reads the upload, and stores the release.
import type { BuildFinding, Game, Preview, Release, ReleaseDiff } from '@svc/contracts/platform';
import { extractBuild } from '@svc/game-build';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { newId } from '../database/new-id.ts';
import type { GamesTable, ReleasesTable } from '../database/schema.ts';
import { buildKey } from '../files/keys.ts';
import type { SpoolFolder } from '../files/spool.ts';
import { syncFile } from '../files/sync-path.ts';
import type { Platform } from '../platform.ts';
import { previewRecord } from '../previews/put-preview.ts';
import { gameRecord, releaseRecord } from '../projects/game-records.ts';
import { checkGameNotTakenDown } from '../projects/game-status.ts';
import { type Attempt, inAttempt } from '../storage/attempt.ts';
import { readContents } from '../storage/contents.ts';
import { waitForRemoval } from '../storage/wait-for-removal.ts';
import type { Staging } from './commit-release.ts';
import { type JudgedRelease, judgeBuild, readZip } from './judge-build.ts';
import { type BuildForm, countPublish, inPhase } from './measure-publish.ts';
import { readUpload } from './read-upload.ts';
import { checkQuota, type StoredRelease, storeRelease } from './store-release.ts';

/** The caller's publish of one game. */
type PublishRequest = {
  readonly caller: Caller;
  readonly game: GamesTable;
  readonly request: FastifyRequest;
  /** Null for a release that goes live. */
  readonly staging: Staging | null;
};

/** The records in the answer of a publish. */
export type Published = {
  readonly game: Game;
  readonly release: Release;
  readonly diff: ReleaseDiff;
  readonly findings: BuildFinding[];
  /** The link that plays it; null without one. */
  readonly preview: Preview | null;
};

/** Publishes the upload of the request. */
export async function publishRelease(
  platform: Platform,
  publish: PublishRequest,
): Promise<Published> {
  return await publishInAttempt(
    platform,
    { ...publish, sent: 'zip', signal: publish.request.abortSignal },
    (attempt, folder) => storeZip(platform, publish, attempt, folder),
  );
}

/** Opens an attempt, does the work in it, and returns the records of the answer. Throws `taken_down` before anything is received. */
export async function publishInAttempt(
  platform: Platform,
  {
    game,
    staging,
    sent,
    signal,
  }: Pick<PublishRequest, 'game' | 'staging'> & {
    readonly sent: BuildForm;
    readonly signal: AbortSignal;
  },
  work: (attempt: Attempt, folder: SpoolFolder) => Promise<StoredRelease>,
): Promise<Published> {
  if (staging === null) checkGameNotTakenDown(game);
  const target = { gameId: game.id, kind: 'publish' } as const;
  const { judged, changed } = await countPublish(platform.metrics, { sent, signal }, () =>
    inAttempt(platform, target, async (attempt) => {
      await using folder = await platform.spool.openFolder();
      // Awaited here because the folder is removed when this function returns.
      return await work(attempt, folder);
    }),
  );
  // The release that the link played before was deleted.
  if (staging?.preview != null) await waitForRemoval(platform.upkeep.removeFiles(game.id));
  return {
    game: await gameRecord(platform, changed, 'owner'),
    release: releaseRecord(platform, judged.release, changed, 'owner'),
    diff: judged.diff,
    findings: judged.findings,
    preview: staging === null ? null : await previewOf(platform, changed, judged.release),
  };
}

async function previewOf(
  platform: Platform,
  game: GamesTable,
  { id, version }: ReleasesTable,
): Promise<Preview | null> {
  const row = await platform.db
    .selectFrom('previews')
    .selectAll()
    .where('release_id', '=', id)
    .executeTakeFirst();
  return row === undefined ? null : previewRecord(platform, game, row, version);
}

/** Reads the upload and stores its release. */
async function storeZip(
  platform: Platform,
  { caller, game, request, staging }: PublishRequest,
  attempt: Attempt,
  folder: SpoolFolder,
): Promise<StoredRelease> {
  const { build, ...fields } = await inPhase(platform.metrics, 'receive', () =>
    readUpload(platform, game, request, folder),
  );
  // The archive is synced to the disk while it is unpacked.
  const synced = syncFile(build.path).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  return await storeRelease(
    platform,
    {
      ...{ caller, game, fields, staging, isZipStored: true },
      read: ({ sink, signal }) =>
        readZip(platform, build.path, (archive) => extractBuild(archive, sink, { signal })),
      async beforeSettled({ release }) {
        const unsynced = await synced;
        if (unsynced !== null) throw unsynced.error;
        await attempt.batch.put(buildKey(game.id, release), build.path);
      },
    },
    { attempt, folder, signal: request.abortSignal },
  );
}

/** Judges the upload of the request as a publish would, and stores nothing. */
export async function dryRunRelease(
  platform: Platform,
  game: GamesTable,
  request: FastifyRequest,
  isStaged: boolean,
): Promise<JudgedRelease> {
  if (!isStaged) checkGameNotTakenDown(game);
  await using folder = await platform.spool.openFolder();
  const { build, ...fields } = await readUpload(platform, game, request, folder);
  const signal = request.abortSignal;
  const judged = await judgeBuild(platform, game, {
    ...{ fields, releaseId: newId(), isZipStored: true, isStaged, provenance: null },
    read: () => readZip(platform, build.path, (archive) => extractBuild(archive, null, { signal })),
  });
  const known = await readContents(platform.db, game.id);
  const added = new Map(judged.build.files.map((file) => [file.sha256, file.bytes]));
  for (const hash of known.keys()) added.delete(hash);
  const addedBytes = [...added.values()].reduce((sum, bytes) => sum + bytes, 0);
  await checkQuota(platform, judged, addedBytes);
  return judged;
}
