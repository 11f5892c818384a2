// Deletes the tokens of trusted publishers, the marks of their identities, and the marks of ended sessions, once they have expired.
import type { Platform } from '../platform.ts';

const HOUR_MS = 3600 * 1000;
/** Until then the answer to an expired token says that it has expired. */
const KEPT_MS = 24 * 3600 * 1000;

/** Tokens that people made are kept, so that their owners see them in the list. */
export async function dropExpiredTokens({ db, now }: Pick<Platform, 'db' | 'now'>): Promise<void> {
  await db
    .deleteFrom('tokens')
    .where('publisher_id', 'is not', null)
    .where('expires_at', '<=', now() - KEPT_MS)
    .execute();
  // The clocks of other processes may be behind.
  for (const table of ['used_id_tokens', 'ended_sessions'] as const) {
    await db
      .deleteFrom(table)
      .where('until', '<=', now() - HOUR_MS)
      .execute();
  }
}
