// Deletes a game from the database, with everything that belongs to it.
import { type Actor, writeAudit } from '../access/audit.ts';
import type { GamesTable, Trx } from '../database/schema.ts';
import { writeRemoval } from './write-removal.ts';

/**
 * Deletes the game with its releases, links, uploads and publishers, and schedules the removal of its files. Its owner keeps the slug.
 * The game must be locked.
 */
export async function removeGame(
  trx: Trx,
  { id, slug }: Pick<GamesTable, 'id' | 'slug'>,
  { actor, now }: { readonly actor: Actor; readonly now: number },
): Promise<void> {
  await trx
    .deleteFrom('search_terms')
    .where('subject_id', '=', id)
    .where('kind', '=', 'game')
    .execute();
  await trx.deleteFrom('games').where('id', '=', id).execute();
  await writeRemoval(trx, id, 'project');
  await writeAudit(trx, { at: now, actor, action: 'project.deleted', subject: id, detail: slug });
}
