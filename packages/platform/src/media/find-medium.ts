// Finds the medium for an address below /media. It is public while its game is published, else only for the owner. That of a deleted game
// or of a suspended owner is for nobody.

import type { Sendable } from '@svc/delivery';
import { mediaKey } from '../files/keys.ts';
import type { Platform } from '../platform.ts';
import { isSignedMedia } from '../projects/media-address.ts';
import type { StoredVariant } from '../storage/stored-bytes.ts';

/**
 * A cache may use a medium for this time before it asks again. So a medium disappears within a minute after it was
 * unpublished, deleted or replaced. Asking again usually returns a 304.
 */
const MEDIA_FRESH_SECONDS = 60;

const NAME = /^\/media\/([0-9a-f-]{36})\/(([0-9a-f-]{36})(?:-\d+)?\.(png|jpg|webp|avif|mp4|webm))$/;

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/avif',
  mp4: 'video/mp4',
  webm: 'video/webm',
};

/** Headers of every answer under /media. */
export const MEDIA_POLICY: readonly string[] = [
  ...['X-Content-Type-Options', 'nosniff', 'Access-Control-Allow-Origin', '*'],
  ...['Cross-Origin-Resource-Policy', 'cross-origin'],
  ...['Content-Security-Policy', "default-src 'none'; sandbox"],
];

/** Returns the medium at the path; null if it does not exist or the caller may not see it. Always queries the database. */
export async function findMedium(
  platform: Platform,
  path: string,
  query: string,
): Promise<Sendable | null> {
  const [, gameId = '', file = '', id = '', extension = ''] = NAME.exec(path) ?? [];
  if (id === '') return null;
  const row = await platform.db
    .selectFrom('media')
    .innerJoin('games', 'games.id', 'media.game_id')
    .innerJoin('users', 'users.uid', 'games.developer_uid')
    .select(['media.file', 'media.variants', 'media.bytes', 'media.place', 'games.status'])
    .where('media.id', '=', id)
    .where('media.game_id', '=', gameId)
    .where('games.deleted_at', 'is', null)
    .where('users.suspended_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const isPublic = row.status === 'published';
  if (!isPublic && !isSignedMedia(platform, gameId, file, query)) return null;
  const variants: StoredVariant[] = JSON.parse(row.variants);
  const named = row.file === file ? row : variants.find((variant) => variant.file === file);
  if (named === undefined) return null;
  const key = mediaKey(gameId, row.place, file);
  const bytes = named.bytes ?? (await sizeOf(platform, key));
  return makeMedium({ key, file, bytes, type: TYPES[extension] ?? '', isPublic });
}

type Medium = {
  readonly key: string;
  /** The file name. It never means other bytes, so it is the ETag. */
  readonly file: string;
  readonly bytes: number;
  readonly type: string;
  readonly isPublic: boolean;
};

/** Returns the medium with its headers. */
export function makeMedium({ key, file, bytes, type, isPublic }: Medium): Sendable {
  const etag = `"${file}"`;
  const who = isPublic ? 'public' : 'private';
  const bareHeaders = [
    ...['X-Request-Id', '', ...MEDIA_POLICY, 'ETag', etag],
    ...['Cache-Control', `${who}, max-age=${MEDIA_FRESH_SECONDS}, must-revalidate`],
  ];
  const body = ['Accept-Ranges', 'bytes', 'Content-Type', type, 'Content-Length', String(bytes)];
  return { etag, bytes, key, decode: null, headers: [...bareHeaders, ...body], bareHeaders };
}

async function sizeOf(platform: Platform, key: string): Promise<number> {
  const file = await platform.served.open(key);
  await file.close();
  return file.bytes;
}
