// Routes for releases: publish, dry run, list, download, rollback, unpublish, delete.
import { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import { type DryRunAnswer, requestSchemas } from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import type { FastifyReply } from 'fastify';
import { whileGameLasts } from '../access/own-game.ts';
import type { GamesTable, ReleasesTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { buildKey } from '../files/keys.ts';
import { routesOn } from '../handle-route.ts';
import { withFirst } from '../http/first-chunk.ts';
import { readPage } from '../http/paging.ts';
import { sendFile } from '../http/send-file.ts';
import type { Platform } from '../platform.ts';
import { gameRecord, pageSlug, releaseRecord } from '../projects/game-records.ts';
import { readManifest } from '../storage/manifests.ts';
import {
  deleteRelease,
  editRelease,
  promoteRelease,
  rollbackRelease,
  unpublishGame,
} from './change-live-release.ts';
import type { Staging } from './commit-release.ts';
import type { JudgedRelease } from './judge-build.ts';
import { listReleases } from './list-releases.ts';
import { dryRunRelease, publishRelease } from './publish-release.ts';
import { zipRelease } from './release-zip.ts';

export const UPLOAD_MS = 30 * 60_000;
/** Space for the other parts and the headers. */
const FRAME_BYTES = 1024 * 1024;

export function publishingRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  app.register(async (scope) => {
    await scope.register(multipart);
    publishRoute(scope, platform);
  });
  handleRoute('releases', async ({ game, query }) =>
    listReleases(platform, game, readPage(platform.limits, query), 'owner'),
  );
  downloadRoute(app, platform);
  handleRoute(
    'rollback',
    async ({ caller, game, body }) => {
      const live = await rollbackRelease(platform, caller, game.id, body.version);
      return {
        game: await gameRecord(platform, live.game, 'owner'),
        release: releaseRecord(platform, live.release, live.game, 'owner'),
        replaced: live.replaced,
      };
    },
    { body: requestSchemas(platform.limits).Rollback },
  );
  handleRoute(
    'editRelease',
    async ({ caller, game, params, body }) => {
      const edited = await editRelease(platform, caller, {
        ...{ gameId: game.id, version: params.version, playable: body.playable },
      });
      return { release: releaseRecord(platform, edited.release, edited.game, 'owner') };
    },
    { body: requestSchemas(platform.limits).EditRelease },
  );
  handleRoute(
    'promote',
    async ({ caller, game, body }) => {
      const live = await promoteRelease(platform, caller, game.id, body.version);
      return {
        game: await gameRecord(platform, live.game, 'owner'),
        release: releaseRecord(platform, live.release, live.game, 'owner'),
        replaced: live.replaced,
      };
    },
    { body: requestSchemas(platform.limits).Promote },
  );
  handleRoute('unpublish', async ({ caller, game }) => {
    const draft = await unpublishGame(platform, caller, game.id);
    return { game: await gameRecord(platform, draft, 'owner') };
  });
  handleRoute('deleteRelease', async ({ caller, game, params }) => {
    await deleteRelease(platform, caller, game.id, params.version);
    return null;
  });
}

function publishRoute(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  handleRoute(
    'publish',
    async ({ caller, game, query, request, reply }) => {
      const staging = readStaging(query);
      if (query.dry_run === 'true') {
        const judged = await dryRunRelease(platform, game, request, staging !== null);
        return reply.code(200).send(dryRunAnswer(platform, judged, game));
      }
      const published = await whileGameLasts(platform, game.id, () =>
        publishRelease(platform, { caller, game, request, staging }),
      );
      return { ...published, url: pageUrl(platform, game) };
    },
    { requestMs: UPLOAD_MS, bodyBytes: platform.limits.build_zip_bytes + FRAME_BYTES },
  );
}

/** Reads how a publish is staged from its query. A preview needs a staged release. */
export function readStaging({
  stage,
  preview,
}: {
  readonly stage?: string;
  readonly preview?: string;
}): Staging | null {
  return stage === 'true' || preview !== undefined ? { preview: preview ?? null } : null;
}

/** The answer of a dry run. */
export function dryRunAnswer(
  platform: Platform,
  { release, build, diff, findings }: JudgedRelease,
  game: GamesTable,
): DryRunAnswer {
  return {
    release: releaseRecord(platform, release, game, 'owner'),
    root: build.root,
    dropped: [...build.dropped],
    findings,
    files: build.files.map(({ path, type, encoding, bytes }) => ({ path, type, encoding, bytes })),
    diff,
  };
}

/** The page of a game on the web origin. */
export function pageUrl({ addresses }: Platform, game: GamesTable): string {
  return `${addresses.webOrigin}/games/${pageSlug(game)}`;
}

function downloadRoute(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  handleRoute(
    'downloadBuild',
    async ({ game, params, request, reply }) => {
      const name = `${pageSlug(game)}-${params.version}.zip`;
      const headers = {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${name}"`,
      };
      const release = await findRelease(platform, game.id, params.version);
      // It may have been deleted since it was found.
      const orGone = async (error: unknown): Promise<never> => {
        await findRelease(platform, game.id, params.version);
        throw error;
      };
      if (release.zip_stored === 0) {
        return await sendMadeZip(platform, game, release, reply.headers(headers)).catch(orGone);
      }
      const key = buildKey(game.id, release);
      // The address is valid only for GET.
      const url = request.method === 'GET' ? await platform.files.downloadUrl(key, name) : null;
      if (url !== null) return reply.header('cache-control', 'no-store').redirect(url, 302);
      const file = await platform.files.open(key).catch(orGone);
      return sendFile(reply, file, headers);
    },
    { requestMs: UPLOAD_MS },
  );
}

/** Answers with a ZIP that is made of the contents of the release. For HEAD it sends only the headers and reads nothing. */
async function sendMadeZip(
  { db, files }: Platform,
  game: GamesTable,
  { manifest_id, zip_bytes }: FoundRelease,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (reply.request.method === 'HEAD') {
    return reply.header('content-length', String(zip_bytes)).send(Readable.from([]));
  }
  const listed = await readManifest(db, manifest_id);
  if (listed.length === 0) throw new Error('The release has no files');
  const chunks = zipRelease(files, game.id, listed);
  // Read before the answer begins, which can still be an error then.
  const first = await chunks.next();
  reply.header('content-length', String(zip_bytes));
  return reply.send(Readable.from(withFirst(first, chunks), { objectMode: false }));
}

type FoundRelease = Pick<
  ReleasesTable,
  'id' | 'place' | 'zip_stored' | 'zip_bytes' | 'manifest_id'
>;

/** Throws `not_found` if the release does not exist. */
async function findRelease(
  platform: Platform,
  gameId: string,
  version: string,
): Promise<FoundRelease> {
  const release = await platform.db
    .selectFrom('releases')
    .select(['id', 'place', 'zip_stored', 'zip_bytes', 'manifest_id'])
    .where('game_id', '=', gameId)
    .where('version', '=', version)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (release === undefined) throw failure('not_found', 'Cannot find this release');
  return release;
}
