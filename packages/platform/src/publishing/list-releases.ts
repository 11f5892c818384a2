// Lists the releases of a game.
import type { Release } from '@svc/contracts/platform';
import type { GamesTable } from '../database/schema.ts';
import { cutPage, type Page } from '../http/paging.ts';
import type { Platform } from '../platform.ts';
import { releaseRecord } from '../projects/game-records.ts';

/** Returns one page of releases, newest first. Players do not see staged releases, and those that were taken down. */
export async function listReleases(
  platform: Platform,
  game: GamesTable,
  page: Page,
  viewer: 'owner' | 'public',
): Promise<{ releases: Release[]; next_cursor: string | null }> {
  let query = platform.db
    .selectFrom('releases')
    .selectAll()
    .where('game_id', '=', game.id)
    .where('deleted_at', 'is', null);
  // A process of the previous version makes a staged release live without a change of its flag.
  if (viewer === 'public') {
    query = query
      .where('taken_down_at', 'is', null)
      .where(({ eb, or }) => or([eb('staged', '=', 0), eb('id', '=', game.live_release_id)]));
  }
  const { after } = page;
  if (after !== null) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'id'), '<', tuple(after.at, after.id)),
    );
  }
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const cut = cutPage(rows, page, (release) => ({ at: release.created_at, id: release.id }));
  return {
    releases: cut.rows.map((release) => releaseRecord(platform, release, game, viewer)),
    next_cursor: cut.next_cursor,
  };
}
