// Deletes an account with everything that belongs to it. What remains of the user is a row without personal data.
import { type Actor, actorOf, writeAudit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { confirmCaller } from '../access/confirm-caller.ts';
import { findGameIds, lockAnyGame } from '../access/own-game.ts';
import type { GamesTable, Trx, UsersTable } from '../database/schema.ts';
import type { Platform } from '../platform.ts';
import { removeGame } from '../storage/remove-game.ts';
import { waitForRemoval } from '../storage/wait-for-removal.ts';
import { noteDeleted } from './deleted-identity.ts';

/**
 * Who deletes an account, and when, in milliseconds since 1970. ID tokens that were issued until `endsAt`, or else until now, open no
 * account any more.
 */
type Deletion = { readonly actor: Actor; readonly now: number; readonly endsAt?: number };

/** Deletes the caller's account. Throws as `confirmCaller`. */
export async function deleteAccount(platform: Platform, caller: Caller): Promise<void> {
  const games = await platform.db.transaction().execute(async (trx) => {
    const { user } = await confirmCaller(platform, trx, caller);
    const now = platform.now();
    // The clock of the provider may be ahead. The ID token of the call ends too.
    const endsAt = caller.kind === 'session' ? Math.max(now, caller.issuedAt) : now;
    return await eraseAccount(trx, user, { actor: actorOf(caller), now, endsAt });
  });
  for (const { slug, page_slug } of games) {
    platform.changes.changed(slug);
    if (page_slug !== null) platform.changes.changed(page_slug);
  }
  await waitForRemoval(removeFiles(platform, games));
}

/**
 * Deletes everything of a user: the projects, tokens, notices and the profile. Schedules the removal of files. Returns the deleted games.
 * The user must be locked.
 */
export async function eraseAccount(
  trx: Trx,
  { uid, issuer, sub }: UsersTable,
  deletion: Deletion,
): Promise<GamesTable[]> {
  const games = await removeGames(trx, uid, deletion);
  const { actor, now, endsAt = now } = deletion;
  // Before the notices: it waits for transactions that write one, and others find a deleted user afterwards.
  await trx
    .updateTable('users')
    .set({ ...remainderOf(uid), deleted_at: now })
    .where('uid', '=', uid)
    .execute();
  for (const table of ['tokens', 'notices', 'avatars'] as const) {
    await trx.deleteFrom(table).where('uid', '=', uid).execute();
  }
  await trx
    .deleteFrom('search_terms')
    .where('subject_id', '=', uid)
    .where('kind', '=', 'developer')
    .execute();
  await noteDeleted(trx, { issuerKey: issuer, sub }, endsAt);
  await writeAudit(trx, { at: now, actor, action: 'account.deleted', subject: uid });
  return games;
}

/** The columns of a deleted user. The id and the time of creation stay. */
function remainderOf(uid: string): Partial<UsersTable> {
  return {
    ...{ issuer: 'deleted', sub: uid, email: null, name: 'Deleted user', name_edited: 0 },
    ...{ avatar: null, avatar_id: null, role: 'player', role_chosen_at: null, mail_off: null },
    ...{ suspended_at: null, suspended_reason: null, sessions_ended_at: null },
    ...{ quota_projects: null, quota_project_bytes: null },
  };
}

async function removeGames(trx: Trx, uid: string, deletion: Deletion): Promise<GamesTable[]> {
  const games: GamesTable[] = [];
  for (const id of await findGameIds(trx, uid)) {
    const game = await lockAnyGame(trx, id);
    if (game === undefined) continue;
    await removeGame(trx, game, deletion);
    games.push(game);
  }
  return games;
}

/** One project after another, so that a large account leaves the file store to others. */
async function removeFiles({ upkeep }: Platform, games: readonly GamesTable[]): Promise<void> {
  for (const { id } of games) await upkeep.removeFiles(id);
}
