// Changes without a new build: rollback, promotion of a staged release, unpublish, deletion of a release.
import { actorOf, writeAudit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { lockOwnGame } from '../access/own-game.ts';
import type { GamesTable, ReleasesTable, Trx } from '../database/schema.ts';
import { indexGame } from '../database/search-index.ts';
import { failure } from '../failure.ts';
import type { Platform } from '../platform.ts';
import {
  checkGameNotTakenDown,
  checkReleaseNotTakenDown,
  chosenStatus,
} from '../projects/game-status.ts';
import { readManifest } from '../storage/manifests.ts';
import { removeRelease } from '../storage/remove-release.ts';
import { waitForRemoval } from '../storage/wait-for-removal.ts';
import { goLive, notifyOfRelease } from './commit-release.ts';
import { nextCreationTime } from './judge-build.ts';

/** A release of a game. */
type OwnRelease = { readonly game: GamesTable; readonly release: ReleasesTable };

/** A release that players get, its game, and the version that they got before; null if there was none, or the same. */
type LiveRelease = OwnRelease & { readonly replaced: string | null };

/**
 * Makes a stored release live. An unpublished game goes online again. Throws `not_published` if the game never had a
 * release, `not_found` for an unknown version, `taken_down`.
 */
export async function rollbackRelease(
  platform: Platform,
  caller: Caller,
  gameId: string,
  version: string,
): Promise<LiveRelease> {
  return platform.db.transaction().execute(async (trx) => {
    const game = await lockOwnGame(platform, trx, caller, gameId);
    const release = await findRelease(trx, gameId, version).catch((error: unknown) => {
      if (game.live_release_id !== null) throw error;
      throw failure('not_published', 'Cannot roll back: the game has no release yet. Publish one');
    });
    checkGameNotTakenDown(game);
    checkReleaseNotTakenDown(release);
    if (release.staged === 1) {
      const live = await promote(platform, trx, { caller, game, release });
      await withdraw(trx, gameId, { after: release.created_at, but: release.id });
      await dropKeptFiles(trx, gameId);
      return live;
    }
    const wasOffline = game.status === 'draft';
    if (game.live_release_id === release.id && !wasOffline) {
      return { game, release, replaced: null };
    }
    const replaced = await liveVersion(trx, game);
    const now = platform.now();
    await dropKeptFiles(trx, gameId);
    // Whatever the reason is, players must not choose the releases that are taken back.
    await withdraw(trx, gameId, { after: release.created_at, but: release.id });
    const changed = await trx
      .updateTable('games')
      .set({
        status: 'published',
        owner_status: null,
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
    return { game: changed, release, replaced };
  });
}

/**
 * Makes a staged release live, as if it was published now. Throws `not_staged` for a release that was live before, and
 * `not_found` for an unknown version, `taken_down`. Does nothing if the release is live already.
 */
export async function promoteRelease(
  platform: Platform,
  caller: Caller,
  gameId: string,
  version: string,
): Promise<LiveRelease> {
  return platform.db.transaction().execute(async (trx) => {
    const game = await lockOwnGame(platform, trx, caller, gameId);
    const release = await findRelease(trx, gameId, version);
    checkGameNotTakenDown(game);
    checkReleaseNotTakenDown(release);
    if (release.staged === 1) return await promote(platform, trx, { caller, game, release });
    if (game.live_release_id === release.id && game.status === 'published')
      return { game, release, replaced: null };
    throw failure(
      'not_staged',
      `Cannot promote version "${version}": it was live before. Roll back to it instead`,
    );
  });
}

async function promote(
  platform: Platform,
  trx: Trx,
  { caller, game, release }: OwnRelease & { readonly caller: Caller },
): Promise<LiveRelease> {
  const gameId = game.id;
  const replaced = await liveVersion(trx, game);
  const created_at = await nextCreationTime({ db: trx, now: platform.now }, gameId);
  const promoted = await trx
    .updateTable('releases')
    .set({ staged: 0, created_at })
    .where('id', '=', release.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const files = await readManifest(trx, release.manifest_id);
  const changed = await goLive(platform, trx, { game, release: promoted, files });
  await writeAudit(trx, {
    at: created_at,
    actor: actorOf(caller),
    action: 'release.promoted',
    subject: gameId,
    detail: release.version,
  });
  await notifyOfRelease(trx, caller, { game, release: promoted });
  return { game: changed, release: promoted, replaced };
}

/** Returns the version that players get; null if they get none. */
async function liveVersion(
  trx: Trx,
  { status, live_release_id }: GamesTable,
): Promise<string | null> {
  if (status !== 'published' || live_release_id === null) return null;
  const live = await trx
    .selectFrom('releases')
    .select('version')
    .where('id', '=', live_release_id)
    .executeTakeFirstOrThrow();
  return live.version;
}

/** Makes the game a draft and returns it. Its files are kept. Does nothing for a draft. */
export async function unpublishGame(
  platform: Platform,
  caller: Caller,
  gameId: string,
): Promise<GamesTable> {
  return platform.db.transaction().execute(async (trx) => {
    const game = await lockOwnGame(platform, trx, caller, gameId);
    if (chosenStatus(game) === 'draft') return game;
    await dropKeptFiles(trx, gameId);
    await trx
      .updateTable('releases')
      .set({ playable: 0 })
      .where('id', '=', game.live_release_id)
      .execute();
    const changed = await trx
      .updateTable('games')
      .set({
        status: 'draft',
        owner_status: game.owner_status === null ? null : 'draft',
        updated_at: platform.now(),
      })
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
    await removeRelease(trx, { gameId, releaseId: release.id, now });
    await touchGame(trx, gameId, now);
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

/**
 * Lets players choose a release after it was replaced, or no longer. Throws `not_found`, `taken_down`, and `not_published` for a staged
 * release, which players have never got.
 */
export async function editRelease(
  platform: Platform,
  caller: Caller,
  { gameId, version, playable }: { gameId: string; version: string; playable: boolean },
): Promise<OwnRelease> {
  return platform.db.transaction().execute(async (trx) => {
    const before = await lockOwnGame(platform, trx, caller, gameId);
    const found = await findRelease(trx, gameId, version);
    const { id, staged } = found;
    if (staged === 1) {
      throw failure(
        'not_published',
        `Cannot offer version "${version}" to players: it is staged. Promote it first`,
      );
    }
    if (playable) {
      checkGameNotTakenDown(before);
      checkReleaseNotTakenDown(found);
    }
    if ((found.playable === 1) === playable) return { game: before, release: found };
    const release = await trx
      .updateTable('releases')
      .set({ playable: playable ? 1 : 0 })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const now = platform.now();
    const game = await touchGame(trx, gameId, now);
    const action = playable ? 'release.offered' : 'release.withdrawn';
    const actor = actorOf(caller);
    await writeAudit(trx, { at: now, actor, action, subject: gameId, detail: version });
    return { game, release };
  });
}

/** Records a change of the game, so that every process reads it and its releases again. */
function touchGame(trx: Trx, gameId: string, now: number): Promise<GamesTable> {
  return trx
    .updateTable('games')
    .set({ updated_at: now })
    .where('id', '=', gameId)
    .returningAll()
    .executeTakeFirstOrThrow();
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

/** Ends the offers of all releases that are newer than a time, but one. */
async function withdraw(
  trx: Trx,
  gameId: string,
  { after, but }: { readonly after: number; readonly but: string },
): Promise<void> {
  await trx
    .updateTable('releases')
    .set({ playable: 0 })
    .where('game_id', '=', gameId)
    .where('created_at', '>', after)
    .where('id', '<>', but)
    .where('playable', '=', 1)
    .execute();
}

/** Takes back what is kept for running games: after a rollback or unpublish, players must not get it. */
async function dropKeptFiles(trx: Trx, gameId: string): Promise<void> {
  await trx
    .updateTable('releases')
    .set({ replaced_at: null })
    .where('game_id', '=', gameId)
    .where('replaced_at', 'is not', null)
    .execute();
  const dropped = await trx
    .deleteFrom('kept_manifests')
    .where('game_id', '=', gameId)
    .returning('manifest_id')
    .execute();
  const ids = dropped.map((row) => row.manifest_id);
  if (ids.length > 0) await trx.deleteFrom('manifests').where('id', 'in', ids).execute();
}
