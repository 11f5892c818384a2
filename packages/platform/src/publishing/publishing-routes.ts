// Publishing builds and what follows: dry run, releases, download, rollback, unpublish, deletion.
import multipart from '@fastify/multipart';
import { requestSchemas } from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import { findOwnGame, whileGameLasts } from '../access/own-game.ts';
import { failure } from '../failure.ts';
import { buildKey, type OpenFile } from '../files/file-store.ts';
import { handleRoute } from '../handle-route.ts';
import { readPage } from '../http/paging.ts';
import { sendFile } from '../http/send-file.ts';
import type { Platform } from '../platform.ts';
import { gameRecord, releaseRecord } from '../projects/game-records.ts';
import {
  deleteProject,
  deleteRelease,
  rollbackRelease,
  unpublishGame,
} from './change-live-release.ts';
import { listReleases } from './list-releases.ts';
import { dryRunRelease, publishRelease } from './publish-release.ts';

const UPLOAD_MS = 30 * 60_000;
/** Room for the other parts and their headers beside the build. */
const FRAME_BYTES = 1024 * 1024;

export function publishingRoutes(app: App, platform: Platform): void {
  app.register(async (scope) => {
    await scope.register(multipart);
    publishRoute(scope, platform);
  });
  handleRoute(app, platform, 'releases', async ({ caller, params, query }) => {
    const page = readPage(platform.limits, query);
    return listReleases(platform, await findOwnGame(platform, caller, params.id), page);
  });
  downloadRoute(app, platform);
  handleRoute(
    app,
    platform,
    'rollback',
    async ({ caller, params, body }) => {
      const { game, release } = await rollbackRelease(platform, caller, params.id, body.version);
      return {
        game: await gameRecord(platform, game, 'owner'),
        release: releaseRecord(release, game),
      };
    },
    { body: requestSchemas(platform.limits).Rollback },
  );
  handleRoute(app, platform, 'unpublish', async ({ caller, params }) => {
    const game = await unpublishGame(platform, caller, params.id);
    return { game: await gameRecord(platform, game, 'owner') };
  });
  handleRoute(app, platform, 'deleteRelease', async ({ caller, params }) => {
    await deleteRelease(platform, caller, params.id, params.version);
    return null;
  });
  handleRoute(app, platform, 'deleteProject', async ({ caller, params }) => {
    await deleteProject(platform, caller, params.id);
    return null;
  });
}

function publishRoute(app: App, platform: Platform): void {
  handleRoute(
    app,
    platform,
    'publish',
    async ({ caller, params, query, request, reply }) => {
      const game = await findOwnGame(platform, caller, params.id);
      if (query.dry_run === 'true') {
        const { release, build, diff, findings } = await dryRunRelease(platform, game, request);
        return reply.code(200).send({
          release: releaseRecord(release, game),
          root: build.root,
          dropped: build.dropped,
          findings,
          files: build.files.map(({ path, type, encoding, bytes }) => ({
            path,
            type,
            encoding,
            bytes,
          })),
          diff,
        });
      }
      const published = await whileGameLasts(platform, game.id, () =>
        publishRelease(platform, caller, game, request),
      );
      return { ...published, url: `${platform.addresses.webOrigin}/games/${game.slug}` };
    },
    { requestMs: UPLOAD_MS, bodyBytes: platform.limits.build_zip_bytes + FRAME_BYTES },
  );
}

function downloadRoute(app: App, platform: Platform): void {
  handleRoute(
    app,
    platform,
    'downloadBuild',
    async ({ caller, params, reply }) => {
      const game = await findOwnGame(platform, caller, params.id);
      const file = await openBuild(platform, game.id, params.version);
      const name = `${game.slug}-${params.version}.zip`;
      return sendFile(reply, file, {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${name}"`,
      });
    },
    { requestMs: UPLOAD_MS },
  );
}

/** The ZIP of a release. Throws `not_found` where there is no such release, or none any more. */
async function openBuild(platform: Platform, gameId: string, version: string): Promise<OpenFile> {
  const id = await findReleaseId(platform, gameId, version);
  try {
    return await platform.files.open(buildKey(gameId, id));
  } catch (error) {
    // It may have been deleted since it was found.
    await findReleaseId(platform, gameId, version);
    throw error;
  }
}

async function findReleaseId(platform: Platform, gameId: string, version: string): Promise<string> {
  const release = await platform.db
    .selectFrom('releases')
    .select('id')
    .where('game_id', '=', gameId)
    .where('version', '=', version)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (release === undefined) throw failure('not_found', 'Cannot find this release');
  return release.id;
}
