// Deletes a game from the database, with everything that belongs to it.
import { type Actor, writeAudit } from '../access/audit.ts';
import type { GamesTable, Trx } from '../database/schema.ts';
import { writeRemoval } from './write-removal.ts';

/**
 * Deletes the game with its releases, links, uploads and publishers, and schedules the removal of its files. Its owner keeps the slug.
 * The game must be locked. The actor is null for the server. The audit trail has a deletion, or the removal of what was deleted before.
 */
export async function removeGame(
  trx: Trx,
  { id, slug, deleted_at }: Pick<GamesTable, 'id' | 'slug' | 'deleted_at'>,
  { actor, now }: { readonly actor: Actor | null; readonly now: number },
): Promise<void> {
  await trx
    .deleteFrom('search_terms')
    .where('subject_id', '=', id)
    .where('kind', '=', 'game')
    .execute();
  await trx.deleteFrom('games').where('id', '=', id).execute();
  await writeRemoval(trx, id, 'project');
  const action = deleted_at === null ? 'project.deleted' : 'project.removed';
  await writeAudit(trx, { at: now, actor, action, subject: id, detail: slug });
}
