// The route to edit the store page of a game.
import multipart from '@fastify/multipart';
import type { App } from '@svc/serve';
import { whileGameLasts } from '../access/own-game.ts';
import { routesOn } from '../handle-route.ts';
import type { Platform } from '../platform.ts';
import { gameRecord, storePage } from '../projects/game-records.ts';
import { updateStore } from './update-store.ts';

const UPLOAD_MS = 10 * 60_000;
/** Space for the metadata and the headers of the parts. */
const FRAME_BYTES = 1024 * 1024;

export function storeRoutes(app: App, platform: Platform): void {
  const { image_bytes, screenshots, trailer_bytes } = platform.limits;
  app.register(async (scope) => {
    await scope.register(multipart);
    const handleUpload = routesOn(scope, platform);
    handleUpload(
      'updateStore',
      async ({ caller, game, request }) => {
        const changed = await whileGameLasts(platform, game.id, () =>
          updateStore(platform, caller, game, request),
        );
        return {
          game: await gameRecord(platform, changed, 'owner'),
          page: await storePage(platform, changed, 'owner'),
        };
      },
      {
        requestMs: UPLOAD_MS,
        bodyBytes: (screenshots + 2) * image_bytes + trailer_bytes + FRAME_BYTES,
      },
    );
  });
}
