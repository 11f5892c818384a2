// Routes for uploads in parts: open, look, send a part, publish, drop.
import { PART_CODING_BYTES, type PublishFields, requestSchemas } from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import { whileGameLasts } from '../access/own-game.ts';
import { routesOn } from '../handle-route.ts';
import type { Platform } from '../platform.ts';
import { dryRunAnswer, pageUrl, readStaging, UPLOAD_MS } from '../publishing/publishing-routes.ts';
import { waitForRemoval } from '../storage/wait-for-removal.ts';
import { findUpload, uploadRecord, whileUploadLasts } from './find-upload.ts';
import { openUpload } from './open-upload.ts';
import { dryRunUpload, publishUpload } from './publish-upload.ts';
import { receivePart } from './receive-part.ts';
import { decodePlan } from './upload-plan.ts';

export function uploadRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  const { limits } = platform;
  const schemas = requestSchemas(limits);
  handleRoute(
    'openUpload',
    async ({ caller, game, body, count }) => ({
      upload: await openUpload(platform, { caller, game, body, count }),
    }),
    { body: schemas.OpenUpload, bodyBytes: limits.upload_list_bytes },
  );
  handleRoute('upload', async ({ game, params }) => {
    const upload = await findUpload(platform.db, game.id, params.upload);
    return { upload: await uploadRecord(platform, upload, await decodePlan(upload.listing)) };
  });
  partRoute(app, platform);
  handleRoute(
    'publishUpload',
    async ({ caller, game, params, query, body, request, reply }) => {
      const { version, notes } = body;
      const fields: PublishFields = { version, ...(notes ? { notes } : {}) };
      const signal = request.abortSignal;
      const staging = readStaging(query);
      const publish = { caller, game, upload: params.upload, fields, staging, signal };
      if (query.dry_run === 'true') {
        const judged = await whileUploadLasts(platform, params.upload, () =>
          dryRunUpload(platform, publish),
        );
        return reply.code(200).send(dryRunAnswer(platform, judged, game));
      }
      const published = await whileGameLasts(platform, game.id, () =>
        whileUploadLasts(platform, params.upload, () => publishUpload(platform, publish)),
      );
      return { ...published, url: pageUrl(platform, game) };
    },
    { body: schemas.PublishUpload, requestMs: UPLOAD_MS },
  );
  handleRoute('dropUpload', async ({ game, params }) => {
    const { db, upkeep } = platform;
    const { id } = await findUpload(db, game.id, params.upload);
    await db.deleteFrom('uploads').where('id', '=', id).execute();
    await waitForRemoval(upkeep.run());
    return null;
  });
}

function partRoute(app: App, platform: Platform): void {
  app.register(async (scope) => {
    // A part is small, so its bytes are kept in memory.
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
      done(null, body);
    });
    routesOn(scope, platform)(
      'uploadPart',
      async ({ game, params, request }) => {
        await receivePart(platform, game, params, request);
        return null;
      },
      { bodyBytes: platform.limits.upload_part_bytes + PART_CODING_BYTES },
    );
  });
}
