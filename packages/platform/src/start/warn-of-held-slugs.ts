// Warns about games that cannot be played because their slug is reserved.
import type { Platform } from '../platform.ts';

/** Logs a warning for each game whose slug is a reserved word or names the host of another service. */
export async function warnOfHeldSlugs({ db, addresses, log }: Platform): Promise<void> {
  const held = [...addresses.heldSlugs];
  if (held.length === 0) return;
  const games = await db.selectFrom('games').select('slug').where('slug', 'in', held).execute();
  for (const { slug } of games) {
    log.warn(
      `the game "${slug}" cannot be played: with this SVC_PLAY_ORIGIN its host is reserved for the API, the store or the identity provider. Create the project again with another slug, or move that service to another host`,
    );
  }
}
