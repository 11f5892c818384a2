// Routes to delete a game, and to list, restore and remove deleted ones.
import type { DeletedGame } from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import type { GamesTable } from '../database/schema.ts';
import { routesOn } from '../handle-route.ts';
import { formatTime } from '../http/format-time.ts';
import { cutPage, type Page, readPage } from '../http/paging.ts';
import type { Platform } from '../platform.ts';
import { removalTime } from '../storage/remove-deleted-games.ts';
import { storedBytes } from '../storage/stored-bytes.ts';
import { deleteGame, removeDeletedGame, restoreDeletedGame } from './delete-game.ts';
import { gameRecord, pageSlug } from './game-records.ts';

export function deletionRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  handleRoute('deletedGames', async ({ caller, query }) => {
    const page = readPage(platform.limits, query);
    const rows = await listDeletedGames(platform, caller.user.uid, page);
    const cut = cutPage(rows, page, (game) => ({ at: game.deleted_at, id: game.id }));
    const games: DeletedGame[] = [];
    for (const game of cut.rows) games.push(await deletedGameRecord(platform, game));
    return { games, next_cursor: cut.next_cursor };
  });
  handleRoute('deleteProject', async ({ caller, game }) => {
    await deleteGame(platform, caller, game.id);
    return null;
  });
  handleRoute('restoreProject', async ({ caller, game }) => {
    const restored = await restoreDeletedGame(platform, caller, game.id);
    return { game: await gameRecord(platform, restored, 'owner') };
  });
  handleRoute('removeDeletedGame', async ({ caller, game }) => {
    await removeDeletedGame(platform, caller, game.id);
    return null;
  });
}

type DeletedRow = GamesTable & { readonly deleted_at: number };

async function listDeletedGames(
  { db }: Platform,
  uid: string,
  { after, limit }: Page,
): Promise<DeletedRow[]> {
  let query = db
    .selectFrom('games')
    .selectAll()
    .where('developer_uid', '=', uid)
    .where('deleted_at', 'is not', null)
    .$narrowType<{ deleted_at: number }>();
  if (after !== null) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('deleted_at', 'id'), '<', tuple(after.at, after.id)),
    );
  }
  return await query
    .orderBy('deleted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
}

async function deletedGameRecord(platform: Platform, game: DeletedRow): Promise<DeletedGame> {
  return {
    id: game.id,
    title: game.title,
    slug: pageSlug(game),
    deleted_at: formatTime(game.deleted_at),
    removed_at: formatTime(removalTime(platform, game.deleted_at)),
    bytes: await storedBytes(platform.db, game.id),
  };
}
