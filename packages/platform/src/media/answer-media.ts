// Answers /media: images and trailers of store pages and pictures of users, each under a name that never means other
// bytes. The database decides at each request who may see one; the memory holds contents only.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PLATFORM_ERRORS, type PlatformErrorCode } from '@svc/contracts/platform';
import { isMissingFile } from '../files/file-store.ts';
import { createContentCache, sendRepresentation } from '../http/send-representation.ts';
import type { Platform } from '../platform.ts';
import { avatarFiles, findAvatar } from './find-avatar.ts';
import { findMedium, MEDIA_POLICY } from './find-medium.ts';

const MEMORY_BYTES = 64 * 1024 * 1024;

/** Answers a request for a medium. False where it is not one. */
export function createMedia(
  platform: Platform,
): (request: IncomingMessage, response: ServerResponse, requestId: string) => boolean {
  const cache = createContentCache(MEMORY_BYTES);
  const avatars = avatarFiles(platform);
  return (request, response, requestId) => {
    const [address = '', query = ''] = (request.url ?? '').split('?');
    if (!address.startsWith('/media/')) return false;
    request.resume();
    const refuse = (
      code: PlatformErrorCode,
      message: string,
      extra: readonly string[] = [],
    ): void => refuseMedia(response, requestId, code, message, extra);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse('method_not_allowed', 'Cannot use this method here: see Allow', [
        'Allow',
        'GET, HEAD',
      ]);
      return true;
    }
    const answer = async (): Promise<void> => {
      const isAvatar = address.startsWith('/media/avatars/');
      const medium = isAvatar
        ? await findAvatar(platform, address)
        : await findMedium(platform, address, query);
      if (medium === null) return refuse('not_found', 'Cannot find this medium');
      await sendRepresentation(
        isAvatar ? avatars : platform.files,
        cache,
        request,
        response,
        requestId,
        medium,
        medium,
        (bytes) =>
          refuse('range_not_satisfiable', `Cannot send this range of ${bytes} bytes`, [
            'Content-Range',
            `bytes */${bytes}`,
          ]),
      );
    };
    answer().catch((error: unknown) => {
      const isGone = isMissingFile(error);
      if (!isGone) platform.log(`internal: media: ${error instanceof Error ? error.stack : error}`);
      if (response.headersSent) response.destroy();
      else if (isGone) refuse('not_found', 'Cannot find this medium');
      else refuse('internal', 'Cannot answer: the service failed');
    });
    return true;
  };
}

function refuseMedia(
  response: ServerResponse,
  requestId: string,
  code: PlatformErrorCode,
  message: string,
  extra: readonly string[],
): void {
  const body = Buffer.from(JSON.stringify({ error: { code, message } }));
  response.writeHead(PLATFORM_ERRORS[code].status, [
    ...['X-Request-Id', requestId, ...MEDIA_POLICY, ...extra, 'Cache-Control', 'no-store'],
    ...['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length)],
  ]);
  response.end(body);
}
