// Routes to upload and remove the caller's picture.
import multipart from '@fastify/multipart';
import type { App } from '@svc/serve';
import { removeAvatar } from '../accounts/drop-avatar.ts';
import { accountRecord } from '../accounts/user-records.ts';
import { routesOn } from '../handle-route.ts';
import type { Platform } from '../platform.ts';
import { keepAvatar } from './keep-avatar.ts';

const UPLOAD_MS = 2 * 60_000;
/** Space for the headers of the part. */
const FRAME_BYTES = 64 * 1024;

export function avatarRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  app.register(async (scope) => {
    await scope.register(multipart);
    const handleUpload = routesOn(scope, platform);
    handleUpload(
      'uploadAvatar',
      async ({ caller, request }) => {
        const user = await keepAvatar(platform, caller, request);
        return { user: accountRecord(platform, user) };
      },
      { requestMs: UPLOAD_MS, bodyBytes: platform.limits.image_bytes + FRAME_BYTES },
    );
  });
  handleRoute('removeAvatar', async ({ caller }) => {
    await removeAvatar(platform, caller);
    return null;
  });
}
