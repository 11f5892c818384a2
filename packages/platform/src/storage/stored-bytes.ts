// The disk space of a project according to its rows: builds, unpacked files with their variants, media.
import type { Db, Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { Platform } from '../platform.ts';

/** A variant of an image in the JSON of its row in `media`. */
export type StoredVariant = {
  readonly file: string;
  readonly type: string;
  readonly width: number;
  readonly height: number;
  /** Missing in rows of older versions, which count as 0. */
  readonly bytes?: number;
};

/** Returns the stored bytes of the project. */
export async function storedBytes(db: Db | Trx, gameId: string): Promise<number> {
  const contents = await db
    .selectFrom('contents')
    .select((eb) => [
      eb.fn.sum<Sum>('bytes').as('bytes'),
      eb.fn.sum<Sum>('gzip_bytes').as('gzip'),
      eb.fn.sum<Sum>('br_bytes').as('br'),
    ])
    .where('game_id', '=', gameId)
    .executeTakeFirstOrThrow();
  const builds = await db
    .selectFrom('releases')
    .select((eb) => eb.fn.sum<Sum>('zip_bytes').as('bytes'))
    .where('game_id', '=', gameId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  const media = await db
    .selectFrom('media')
    .select(['bytes', 'variants'])
    .where('game_id', '=', gameId)
    .execute();
  const sums = [contents.bytes, contents.gzip, contents.br, builds.bytes];
  return [...sums, ...media.map(mediaBytes)].reduce<number>(
    (sum, one) => sum + Number(one ?? 0),
    0,
  );
}

/** Throws `quota_exceeded` if `stored` is over the limit. `hint` says how to free space. */
export function checkStoredBytes({ limits }: Platform, stored: number, hint: string): void {
  if (stored <= limits.project_bytes) return;
  throw failure('quota_exceeded', `The project would exceed its disk space. ${hint}`, {
    details: [{ rule: 'project_bytes', message: `${stored} bytes of ${limits.project_bytes}` }],
  });
}

/** A sum over no rows is null, and PostgreSQL returns sums of bigint as text. */
type Sum = number | string | null;

function mediaBytes({ bytes, variants }: { bytes: number; variants: string }): number {
  const listed: StoredVariant[] = JSON.parse(variants);
  return listed.reduce((sum, variant) => sum + (variant.bytes ?? 0), bytes);
}
