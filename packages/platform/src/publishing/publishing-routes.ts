// Routes for releases: publish, dry run, list, download, rollback, unpublish, delete.
import multipart from '@fastify/multipart';
import { requestSchemas } from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import { whileGameLasts } from '../access/own-game.ts';
import type { ReleasesTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { buildKey } from '../files/keys.ts';
import { routesOn } from '../handle-route.ts';
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
/** Space for the other parts and the headers. */
const FRAME_BYTES = 1024 * 1024;

export function publishingRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  app.register(async (scope) => {
    await scope.register(multipart);
    publishRoute(scope, platform);
  });
  handleRoute('releases', async ({ game, query }) =>
    listReleases(platform, game, readPage(platform.limits, query)),
  );
  downloadRoute(app, platform);
  handleRoute(
    'rollback',
    async ({ caller, game, body }) => {
      const live = await rollbackRelease(platform, caller, game.id, body.version);
      return {
        game: await gameRecord(platform, live.game, 'owner'),
        release: releaseRecord(live.release, live.game),
      };
    },
    { body: requestSchemas(platform.limits).Rollback },
  );
  handleRoute('unpublish', async ({ caller, game }) => {
    const draft = await unpublishGame(platform, caller, game.id);
    return { game: await gameRecord(platform, draft, 'owner') };
  });
  handleRoute('deleteRelease', async ({ caller, game, params }) => {
    await deleteRelease(platform, caller, game.id, params.version);
    return null;
  });
  handleRoute('deleteProject', async ({ caller, game }) => {
    await deleteProject(platform, caller, game.id);
    return null;
  });
}

function publishRoute(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  handleRoute(
    'publish',
    async ({ caller, game, query, request, reply }) => {
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
        publishRelease(platform, { caller, game, request }),
      );
      return { ...published, url: `${platform.addresses.webOrigin}/games/${game.slug}` };
    },
    { requestMs: UPLOAD_MS, bodyBytes: platform.limits.build_zip_bytes + FRAME_BYTES },
  );
}

function downloadRoute(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  handleRoute(
    'downloadBuild',
    async ({ game, params, request, reply }) => {
      const name = `${game.slug}-${params.version}.zip`;
      const key = buildKey(game.id, await findRelease(platform, game.id, params.version));
      // The address is valid only for GET.
      const url = request.method === 'GET' ? await platform.files.downloadUrl(key, name) : null;
      if (url !== null) return reply.header('cache-control', 'no-store').redirect(url, 302);
      const file = await platform.files.open(key).catch(async (error: unknown) => {
        // The release may have been deleted since it was found.
        await findRelease(platform, game.id, params.version);
        throw error;
      });
      return sendFile(reply, file, {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${name}"`,
      });
    },
    { requestMs: UPLOAD_MS },
  );
}

/** Throws `not_found` if the release does not exist. */
async function findRelease(
  platform: Platform,
  gameId: string,
  version: string,
): Promise<Pick<ReleasesTable, 'id' | 'place'>> {
  const release = await platform.db
    .selectFrom('releases')
    .select(['id', 'place'])
    .where('game_id', '=', gameId)
    .where('version', '=', version)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (release === undefined) throw failure('not_found', 'Cannot find this release');
  return release;
}
