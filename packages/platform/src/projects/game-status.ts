// Whether players can see a game: the choice of its owner, unless the operator hides it or the owner has deleted it.
import type { GamesTable, ReleasesTable, Trx } from '../database/schema.ts';
import { indexGame } from '../database/search-index.ts';
import { failure } from '../failure.ts';

/** Returns the status that the owner chose, also while the game is hidden. */
export function chosenStatus({
  status,
  owner_status,
}: Pick<GamesTable, 'status' | 'owner_status'>): GamesTable['status'] {
  return owner_status ?? status;
}

/** Throws `taken_down` if the operator has taken the game down, so that no release may become live. */
export function checkGameNotTakenDown(
  game: Pick<GamesTable, 'taken_down_at' | 'taken_down_reason'>,
): void {
  if (game.taken_down_at === null) return;
  throw failure(
    'taken_down',
    `The operator of this server has taken the game down${whyOf(game)}. Until it is restored, you can only stage releases`,
  );
}

/** Throws `taken_down` if the operator has taken the release down. */
export function checkReleaseNotTakenDown(
  release: Pick<ReleasesTable, 'version' | 'taken_down_at' | 'taken_down_reason'>,
): void {
  if (release.taken_down_at === null) return;
  throw failure(
    'taken_down',
    `The operator of this server has taken version "${release.version}" down${whyOf(release)}. Use another version`,
  );
}

function whyOf({
  taken_down_reason: reason,
}: Pick<GamesTable | ReleasesTable, 'taken_down_reason'>): string {
  return reason === null ? '' : `. Reason: ${reason}`;
}

/**
 * Hides or shows a game, after something that hides it has changed: it is deleted, it or its live release is taken down, or its developer is
 * suspended. The game must be locked. Returns the changed game. Every process reads it and its releases again.
 */
export async function settleStatus(trx: Trx, gameId: string, now: number): Promise<GamesTable> {
  const { live_taken_down_at, suspended_at, ...game } = await trx
    .selectFrom('games')
    .innerJoin('users', 'users.uid', 'games.developer_uid')
    .leftJoin('releases', 'releases.id', 'games.live_release_id')
    .selectAll('games')
    .select(['releases.taken_down_at as live_taken_down_at', 'users.suspended_at'])
    .where('games.id', '=', gameId)
    .executeTakeFirstOrThrow();
  const reasons = [game.deleted_at, game.taken_down_at, live_taken_down_at, suspended_at];
  const isHidden = reasons.some((since) => since !== null);
  const chosen = chosenStatus(game);
  const changed = await trx
    .updateTable('games')
    .set({
      status: isHidden ? 'draft' : chosen,
      owner_status: isHidden ? chosen : null,
      updated_at: now,
    })
    .where('id', '=', gameId)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (changed.status !== game.status) await indexGame(trx, changed);
  return changed;
}
