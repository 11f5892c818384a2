// Answers /media: images and trailers of store pages, each under a name that never means other bytes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PLATFORM_ERRORS, type PlatformErrorCode } from '@svc/contracts/platform';
import { isMissingFile, mediaKey } from '../files/file-store.ts';
import type { Platform } from '../platform.ts';
import {
  createContentCache,
  type Sendable,
  sendRepresentation,
} from '../play/send-representation.ts';
import type { StoredVariant } from '../projects/stored-bytes.ts';

const MEMORY_BYTES = 64 * 1024 * 1024;
const NAME = /^\/media\/([0-9a-f-]{36})\/(([0-9a-f-]{36})(?:-\d+)?\.(png|jpg|webp|avif|mp4|webm))$/;

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/avif',
  mp4: 'video/mp4',
  webm: 'video/webm',
};

const POLICY = [
  ...['X-Content-Type-Options', 'nosniff', 'Access-Control-Allow-Origin', '*'],
  ...['Cross-Origin-Resource-Policy', 'cross-origin'],
  ...['Content-Security-Policy', "default-src 'none'; sandbox"],
];

/** Answers a request for a medium. False where it is not one. */
export function createMedia(
  platform: Platform,
): (request: IncomingMessage, response: ServerResponse, requestId: string) => boolean {
  const cache = createContentCache(MEMORY_BYTES);
  return (request, response, requestId) => {
    const [address = ''] = (request.url ?? '').split('?');
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
      const medium = await findMedium(platform, address);
      if (medium === null) return refuse('not_found', 'Cannot find this medium');
      await sendRepresentation(
        platform.files,
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
    ...['X-Request-Id', requestId, ...POLICY, ...extra, 'Cache-Control', 'no-store'],
    ...['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length)],
  ]);
  response.end(body);
}

/** The medium under the address, if a row names it. */
async function findMedium(platform: Platform, address: string): Promise<Sendable | null> {
  const [, gameId = '', file = '', id = '', extension = ''] = NAME.exec(address) ?? [];
  if (id === '') return null;
  const row = await platform.db
    .selectFrom('media')
    .select(['file', 'variants', 'bytes'])
    .where('id', '=', id)
    .where('game_id', '=', gameId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const variants: StoredVariant[] = JSON.parse(row.variants);
  const named = row.file === file ? row : variants.find((variant) => variant.file === file);
  if (named === undefined) return null;
  const key = mediaKey(gameId, file);
  const bytes = named.bytes ?? (await sizeOf(platform, key));
  const etag = `"${file}"`;
  const bareHeaders = [
    ...['X-Request-Id', '', ...POLICY, 'ETag', etag],
    ...['Cache-Control', 'public, max-age=31536000, immutable'],
  ];
  const type = TYPES[extension] ?? 'application/octet-stream';
  const body = ['Accept-Ranges', 'bytes', 'Content-Type', type, 'Content-Length', String(bytes)];
  return { etag, bytes, key, decode: null, headers: [...bareHeaders, ...body], bareHeaders };
}

async function sizeOf(platform: Platform, key: string): Promise<number> {
  const file = await platform.files.open(key);
  await file.close();
  return file.bytes;
}
