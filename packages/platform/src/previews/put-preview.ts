// Makes links to play a release. A project has one link of each name, which later releases replace.
import type { Preview } from '@svc/contracts/platform';
import { type Actor, writeAudit } from '../access/audit.ts';
import { newId } from '../database/new-id.ts';
import type { GamesTable, PreviewsTable, Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { formatTime } from '../http/format-time.ts';
import type { Platform } from '../platform.ts';
import { endOwnRelease } from '../storage/end-previews.ts';
import { previewUrl } from './preview-address.ts';

const DAY_MS = 24 * 3600 * 1000;

export type NewPreview = {
  readonly gameId: string;
  readonly releaseId: string;
  readonly name: string | null;
  /** Null for the default of the server. */
  readonly days: number | null;
  /** Whether the release was published for this link, and ends with it. */
  readonly ownsRelease: boolean;
  /** Who makes the link. */
  readonly actor: Actor;
  /** The version of the release. */
  readonly version: string;
};

/**
 * Makes the link, or points that of the same name to the release. Its address stays the same, and it has its whole time again.
 * The game must be locked. Throws `quota_exceeded`.
 */
export async function putPreview(
  { now, limits }: Pick<Platform, 'now' | 'limits'>,
  trx: Trx,
  { gameId, releaseId, name, days, ownsRelease, actor, version }: NewPreview,
): Promise<PreviewsTable> {
  const at = now();
  await writeAudit(trx, {
    ...{ at, actor, action: 'preview.created', subject: gameId, detail: version },
  });
  const expires_at = at + (days ?? limits.preview_default_days) * DAY_MS;
  const values = { release_id: releaseId, expires_at, owns_release: ownsRelease ? 1 : 0 };
  const before = name === null ? undefined : await findNamed(trx, gameId, name);
  if (before === undefined) {
    await checkCount(trx, gameId, { limit: limits.previews_per_project, now: at });
    const row = { id: newId(), game_id: gameId, name, created_at: at, last_used_at: null };
    return await trx
      .insertInto('previews')
      .values({ ...row, ...values })
      .returningAll()
      .executeTakeFirstOrThrow();
  }
  const isSame = before.release_id === releaseId;
  const after = await trx
    .updateTable('previews')
    // A release that was published for the link stays so if the link is only renewed.
    .set(isSame ? { expires_at } : values)
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (!isSame) await endOwnRelease(trx, before, { actor, now: at });
  return after;
}

/** Returns the link of the project with this name. */
async function findNamed(
  db: Trx,
  gameId: string,
  name: string,
): Promise<PreviewsTable | undefined> {
  return await db
    .selectFrom('previews')
    .selectAll()
    .where('game_id', '=', gameId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Returns a link as a record. */
export function previewRecord(
  platform: Pick<Platform, 'signingKey' | 'addresses'>,
  { slug }: Pick<GamesTable, 'slug'>,
  preview: PreviewsTable,
  version: string,
): Preview {
  const { id, name, created_at, expires_at, last_used_at } = preview;
  return {
    id,
    name,
    version,
    url: previewUrl(platform, slug, id),
    created_at: formatTime(created_at),
    expires_at: formatTime(expires_at),
    last_used_at: formatTime(last_used_at),
  };
}

async function checkCount(
  trx: Trx,
  gameId: string,
  { limit, now }: { readonly limit: number; readonly now: number },
): Promise<void> {
  const { count } = await trx
    .selectFrom('previews')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('game_id', '=', gameId)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  if (Number(count) < limit) return;
  const message = `Cannot create another link: the project has ${limit}. Revoke links that you no longer need`;
  throw failure('quota_exceeded', message);
}
