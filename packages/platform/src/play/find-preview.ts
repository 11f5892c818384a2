// Finds the forms of a file of a release that is played by a link.
import { makeRepresentations, type Representations } from '@svc/delivery';
import { contentKey } from '../files/keys.ts';
import type { Platform } from '../platform.ts';
import { readPreviewToken } from '../previews/preview-address.ts';
import { effectiveIsolation } from '../projects/game-records.ts';
import type { ManifestCache } from './manifest-cache.ts';

/** The last use is stored to the minute. */
const USED_MS = 60_000;

/** What a request for a file of a preview names. */
export type PreviewFile = {
  readonly slug: string;
  /** The token in the address. */
  readonly token: string;
  readonly path: string;
};

/**
 * Returns the file; null if there is none, or if the link does not exist, was revoked or has expired, or if the game is deleted, or if the
 * operator has taken it or the release down or suspended the developer. Asks the database each time, so a link ends at once in every process.
 */
export async function findPreviewFile(
  platform: Platform,
  readFile: ManifestCache,
  { slug, token, path }: PreviewFile,
): Promise<Representations | null> {
  const id = readPreviewToken(platform, token);
  const played = id === null ? undefined : await findPlayed(platform, slug, id);
  if (played === undefined || played.manifest_id === null) return null;
  const { gameId, manifest_id, chosen, isolation, profiling } = played;
  const file = await readFile(manifest_id, path);
  if (!file) return null;
  if (path === 'index.html') noteUse(platform, played);
  return makeRepresentations(file, {
    isolation: effectiveIsolation(chosen, isolation),
    profiling: profiling === 1,
    at: { kind: 'preview' },
    embedder: platform.addresses.webOrigin,
    keyOf: (coding) => contentKey(gameId, file, coding),
  });
}

async function findPlayed({ db, now }: Platform, slug: string, id: string) {
  return await db
    .selectFrom('previews')
    .innerJoin('games', 'games.id', 'previews.game_id')
    .innerJoin('releases', 'releases.id', 'previews.release_id')
    .innerJoin('users', 'users.uid', 'games.developer_uid')
    .select(['previews.id', 'previews.last_used_at', 'games.id as gameId', 'games.profiling'])
    .select(['games.isolation as chosen', 'releases.manifest_id', 'releases.isolation'])
    .where('previews.id', '=', id)
    .where('previews.expires_at', '>', now())
    .where('games.slug', '=', slug)
    .where('games.deleted_at', 'is', null)
    .where('games.taken_down_at', 'is', null)
    .where('releases.taken_down_at', 'is', null)
    .where('users.suspended_at', 'is', null)
    .executeTakeFirst();
}

type Used = { readonly id: string; readonly last_used_at: number | null };

/** Stores the use in the background. A tester does not wait for it. */
function noteUse({ db, log, now }: Platform, { id, last_used_at }: Used): void {
  const at = now();
  if (last_used_at !== null && at - last_used_at < USED_MS) return;
  db.updateTable('previews')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .execute()
    .catch((error: unknown) => log.warn(`the use of a preview link is not stored: ${error}`));
}
