// Ends links to play a release, with the releases that were published only for them.
import { type Actor, writeAudit } from '../access/audit.ts';
import type { PreviewsTable, Trx } from '../database/schema.ts';
import type { Platform } from '../platform.ts';
import type { DoItem } from './do-item.ts';
import { removeRelease } from './remove-release.ts';

/** Who ends a link, and when. The actor is null if it expires. */
type End = { readonly actor: Actor | null; readonly now: number };

/** Deletes the links that have expired. */
export async function endExpiredPreviews(
  { db, now }: Pick<Platform, 'db' | 'now'>,
  doItem: DoItem,
): Promise<void> {
  const expired = await db
    .selectFrom('previews')
    .select(['id', 'game_id'])
    .where('expires_at', '<=', now())
    .execute();
  for (const { id, game_id } of expired) {
    await doItem(`preview link ${id}`, () =>
      db.transaction().execute(async (trx) => {
        // Locks the game as every change of its releases does. An update without a change works on both engines.
        await trx.updateTable('games').set({ id: game_id }).where('id', '=', game_id).execute();
        const preview = await trx
          .selectFrom('previews')
          .selectAll()
          .where('id', '=', id)
          .where('expires_at', '<=', now())
          .executeTakeFirst();
        if (preview !== undefined) await endPreview(trx, preview, { actor: null, now: now() });
      }),
    );
  }
}

/** Deletes the link, and its release if that was published only for it. The game must be locked. */
export async function endPreview(trx: Trx, preview: PreviewsTable, end: End): Promise<void> {
  await trx.deleteFrom('previews').where('id', '=', preview.id).execute();
  await endOwnRelease(trx, preview, end);
}

/**
 * Deletes the release of a link that no longer points to it, if it was published only for it, was not made live since, and no
 * other link plays it. Another link with a name owns it from now on. Links without one own no release: they are revoked without
 * a question. Returns whether it was deleted.
 */
export async function endOwnRelease(
  trx: Trx,
  { game_id, release_id, owns_release }: PreviewsTable,
  { actor, now }: End,
): Promise<boolean> {
  if (owns_release === 0) return false;
  const other = await trx
    .selectFrom('previews')
    .select('id')
    .where('release_id', '=', release_id)
    .executeTakeFirst();
  if (other !== undefined) {
    await trx
      .updateTable('previews')
      .set({ owns_release: 1 })
      .where('release_id', '=', release_id)
      .where('name', 'is not', null)
      .execute();
    return false;
  }
  const release = await trx
    .selectFrom('releases')
    .innerJoin('games', 'games.id', 'releases.game_id')
    .select(['releases.staged', 'releases.version', 'games.live_release_id'])
    .where('releases.id', '=', release_id)
    .where('releases.deleted_at', 'is', null)
    .executeTakeFirst();
  // A process of the previous version makes a staged release live without a change of its flag.
  if (release?.staged !== 1 || release.live_release_id === release_id) return false;
  await removeRelease(trx, { gameId: game_id, releaseId: release_id, now });
  await writeAudit(trx, {
    ...{ at: now, actor, action: 'release.deleted', subject: game_id, detail: release.version },
  });
  return true;
}
