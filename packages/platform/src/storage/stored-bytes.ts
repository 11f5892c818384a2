// The disk space of a project according to its rows: builds, unpacked files with their variants, uploads in parts, media.
import { quotaOf } from '../access/quota.ts';
import type { Db, MediaTable, Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { mediaKey } from '../files/keys.ts';
import type { Platform } from '../platform.ts';

/** A variant of an image in the JSON of its row in `media`. */
export type StoredVariant = {
  readonly file: string;
  readonly type: string;
  readonly width: number;
  readonly height: number;
  /** Missing in rows of older versions, which count as 0. */
  readonly bytes?: number;
  /** SHA-256 in hex. Missing in rows of older versions. */
  readonly hash?: string;
};

/** Returns the stored bytes of the project. */
export async function storedBytes(db: Db | Trx, gameId: string): Promise<number> {
  const game = await db
    .selectFrom('games')
    .select('content_bytes')
    .where('id', '=', gameId)
    .executeTakeFirst();
  const builds = await db
    .selectFrom('releases')
    .select((eb) => eb.fn.sum<Sum>('zip_bytes').as('bytes'))
    .where('game_id', '=', gameId)
    .where('deleted_at', 'is', null)
    .where('zip_stored', '=', 1)
    .executeTakeFirstOrThrow();
  const uploads = await db
    .selectFrom('uploads')
    .select((eb) => eb.fn.sum<Sum>('bytes').as('bytes'))
    .where('game_id', '=', gameId)
    .executeTakeFirstOrThrow();
  const media = await db
    .selectFrom('media')
    .select(['bytes', 'variants'])
    .where('game_id', '=', gameId)
    .execute();
  const others = Number(builds.bytes ?? 0) + Number(uploads.bytes ?? 0);
  return media.map(mediaBytes).reduce((sum, one) => sum + one, others + (game?.content_bytes ?? 0));
}

/** What a project will use: what it has stored, and how many bytes more. `hint` says how to free space. */
type Use = { readonly gameId: string; readonly addedBytes: number; readonly hint: string };

/** Throws `quota_exceeded` if the project would use more than its owner may. */
export async function checkStoredBytes(
  { limits }: Platform,
  db: Db | Trx,
  { gameId, addedBytes, hint }: Use,
): Promise<void> {
  const stored = (await storedBytes(db, gameId)) + addedBytes;
  const owner = await db
    .selectFrom('users')
    .innerJoin('games', 'games.developer_uid', 'users.uid')
    .select(['users.quota_projects', 'users.quota_project_bytes'])
    .where('games.id', '=', gameId)
    .executeTakeFirst();
  const most = owner === undefined ? limits.project_bytes : quotaOf(limits, owner).project_bytes;
  if (stored <= most) return;
  throw failure('quota_exceeded', `The project would exceed its disk space. ${hint}`, {
    details: [{ rule: 'project_bytes', message: `${stored} bytes of ${most}` }],
  });
}

/** A sum over no rows is null, and PostgreSQL returns sums of bigint as text. */
type Sum = number | string | null;

function mediaBytes({ bytes, variants }: { bytes: number; variants: string }): number {
  const listed: StoredVariant[] = JSON.parse(variants);
  return listed.reduce((sum, variant) => sum + (variant.bytes ?? 0), bytes);
}

/** Returns the keys of an image with its variants, or of a trailer. */
export function mediaKeys(
  gameId: string,
  row: Pick<MediaTable, 'file' | 'variants' | 'place'>,
): string[] {
  return mediaFiles(gameId, { ...row, bytes: 0, hash: null }).map(({ key }) => key);
}

/** A stored file of a medium. The size in bytes and the SHA-256 are null if an older version did not store them. */
type MediaFile = {
  readonly key: string;
  readonly bytes: number | null;
  readonly hash: string | null;
};

/** As `mediaKeys`, with their sizes and hashes. */
export function mediaFiles(
  gameId: string,
  row: Pick<MediaTable, 'file' | 'bytes' | 'variants' | 'place' | 'hash'>,
): MediaFile[] {
  const variants: StoredVariant[] = JSON.parse(row.variants);
  return [row, ...variants].map(({ file, bytes, hash }) => ({
    key: mediaKey(gameId, row.place, file),
    bytes: bytes ?? null,
    hash: hash ?? null,
  }));
}
