// Deletes a release that is not live from the database.
import type { Trx } from '../database/schema.ts';
import { writeRemoval } from './write-removal.ts';

/** Deletes the release with its links and kept files, and schedules the removal of its files. Its version stays used. */
export async function removeRelease(
  trx: Trx,
  { gameId, releaseId, now }: { gameId: string; releaseId: string; now: number },
): Promise<void> {
  await trx
    .updateTable('releases')
    .set({ deleted_at: now, manifest_id: null })
    .where('id', '=', releaseId)
    .execute();
  await trx.deleteFrom('previews').where('release_id', '=', releaseId).execute();
  const manifests = trx.selectFrom('manifests').select('id').where('release_id', '=', releaseId);
  await trx.deleteFrom('kept_manifests').where('manifest_id', 'in', manifests).execute();
  await trx.deleteFrom('manifests').where('release_id', '=', releaseId).execute();
  await writeRemoval(trx, gameId, 'unused');
}
