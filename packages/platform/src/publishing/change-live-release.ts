// Changes without a new build: rollback, unpublish, deletion of a release or of the game.
import { actorOf, writeAudit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { lockOwnGame } from '../access/own-game.ts';
import type { GamesTable, ReleasesTable, Trx } from '../database/schema.ts';
import { indexGame } from '../database/search-index.ts';
import { failure } from '../failure.ts';
import type { Platform } from '../platform.ts';
import { writeRemoval } from '../storage/upkeep.ts';
import { waitForRemoval } from '../storage/wait-for-removal.ts';

/**
 * Makes a stored release live. An unpublished game goes online again. Throws `not_published` if the game never had a
 * release, `not_found` for an unknown version.
 */
export async function rollbackRelease(
  platform: Platform,
  caller: Caller,
  gameId: string,
  version: string,
): Promise<{ game: GamesTable; release: ReleasesTable }> {
  return platform.db.transaction().execute(async (trx) => {
    const game = await lockOwnGame(platform, trx, caller, gameId);
    if (game.live_release_id === null) {
      throw failure('not_published', 'Cannot roll back: the game has no release yet. Publish one');
    }
    const release = await findRelease(trx, gameId, version);
    const wasOffline = game.status === 'draft';
    if (game.live_release_id === release.id && !wasOffline) return { game, release };
    const now = platform.now();
    await dropKeptFiles(trx, gameId);
    const changed = await trx
      .updateTable('games')
      .set({
        status: 'published',
        live_release_id: release.id,
        published_at: game.published_at ?? now,
        updated_at: now,
      })
      .where('id', '=', gameId)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (wasOffline) await indexGame(trx, changed);
    const action = wasOffline ? 'game.published' : 'release.rolled_back';
    await writeAudit(trx, {
      at: now,
      actor: actorOf(caller),
      action,
      subject: gameId,
      detail: version,
    });
    return { game: changed, release };
  });
}

/** Makes the game a draft and returns it. Its files are kept. Does nothing for a draft. */
export async function unpublishGame(
  platform: Platform,
  caller: Caller,
  gameId: string,
): Promise<GamesTable> {
  return platform.db.transaction().execute(async (trx) => {
    const game = await lockOwnGame(platform, trx, caller, gameId);
    if (game.status === 'draft') return game;
    await dropKeptFiles(trx, gameId);
    const changed = await trx
      .updateTable('games')
      .set({ status: 'draft', published_at: null, updated_at: platform.now() })
      .where('id', '=', gameId)
      .returningAll()
      .executeTakeFirstOrThrow();
    await indexGame(trx, changed);
    await writeAudit(trx, {
      at: platform.now(),
      actor: actorOf(caller),
      action: 'game.unpublished',
      subject: gameId,
    });
    return changed;
  });
}

/**
 * Deletes a release that is not live, and all files that no other release has. Games that still run from it cannot load
 * them any more. Its version cannot be used again. Throws `release_live`, `not_found`.
 */
export async function deleteRelease(
  platform: Platform,
  caller: Caller,
  gameId: string,
  version: string,
): Promise<void> {
  await platform.db.transaction().execute(async (trx) => {
    const game = await lockOwnGame(platform, trx, caller, gameId);
    const release = await findRelease(trx, gameId, version);
    if (game.live_release_id === release.id) {
      const state = game.status === 'published' ? 'it is live' : 'it was the last live version';
      throw failure(
        'release_live',
        `Cannot delete version "${version}": ${state}. Publish or roll back to another version first`,
      );
    }
    const now = platform.now();
    await trx
      .updateTable('releases')
      .set({ deleted_at: now, manifest_id: null })
      .where('id', '=', release.id)
      .execute();
    await dropManifests(trx, release.id);
    await writeRemoval(trx, gameId, 'unused');
    await writeAudit(trx, {
      at: now,
      actor: actorOf(caller),
      action: 'release.deleted',
      subject: gameId,
      detail: version,
    });
  });
  await waitForRemoval(platform.upkeep.removeFiles(gameId));
}

/** Deletes the game and all its files. Its owner keeps the slug. */
export async function deleteProject(
  platform: Platform,
  caller: Caller,
  gameId: string,
): Promise<void> {
  await platform.db.transaction().execute(async (trx) => {
    const game = await lockOwnGame(platform, trx, caller, gameId);
    await trx
      .deleteFrom('search_terms')
      .where('subject_id', '=', gameId)
      .where('kind', '=', 'game')
      .execute();
    await trx.deleteFrom('games').where('id', '=', gameId).execute();
    await writeRemoval(trx, gameId, 'project');
    await writeAudit(trx, {
      at: platform.now(),
      actor: actorOf(caller),
      action: 'project.deleted',
      subject: gameId,
      detail: game.slug,
    });
  });
  await waitForRemoval(platform.upkeep.removeFiles(gameId));
}

async function findRelease(trx: Trx, gameId: string, version: string): Promise<ReleasesTable> {
  const release = await trx
    .selectFrom('releases')
    .selectAll()
    .where('game_id', '=', gameId)
    .where('version', '=', version)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (release === undefined) throw failure('not_found', 'Cannot find this release');
  return release;
}

/** Removes the files that are kept for running games: after a rollback or unpublish, players must not get them. */
async function dropKeptFiles(trx: Trx, gameId: string): Promise<void> {
  const dropped = await trx
    .deleteFrom('kept_manifests')
    .where('game_id', '=', gameId)
    .returning('manifest_id')
    .execute();
  const ids = dropped.map((row) => row.manifest_id);
  if (ids.length > 0) await trx.deleteFrom('manifests').where('id', 'in', ids).execute();
}

/** Deletes the manifest of a release and its kept files. */
async function dropManifests(trx: Trx, releaseId: string): Promise<void> {
  const manifests = trx.selectFrom('manifests').select('id').where('release_id', '=', releaseId);
  await trx.deleteFrom('kept_manifests').where('manifest_id', 'in', manifests).execute();
  await trx.deleteFrom('manifests').where('release_id', '=', releaseId).execute();
}
