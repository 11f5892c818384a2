// Routes of the public catalog: home, search, games, their pages and releases, categories, developers.
import { CATEGORIES, VISIT_HEADER, VISIT_OF_PAGE } from '@svc/contracts/platform';
import { EMBED_ALLOW } from '@svc/delivery';
import type { App } from '@svc/serve';
import { userRecord } from '../accounts/user-records.ts';
import type { GamesTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { routesOn } from '../handle-route.ts';
import { readLimit, readPage } from '../http/paging.ts';
import type { Platform } from '../platform.ts';
import {
  gameRecord,
  gameRecords,
  pageSlug,
  playUrl,
  releaseUrl,
  storePage,
} from '../projects/game-records.ts';
import { listReleases } from '../publishing/list-releases.ts';
import {
  findDeveloper,
  findDeveloperPage,
  findDevelopers,
  findPublishedGame,
  listPublishedGames,
} from './find-games.ts';
import { search } from './search.ts';

const PAGE_RELEASES = 20;

export function catalogRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  handleRoute('home', async ({ query }) => {
    const page = readPage(platform.limits, query);
    const { games, next_cursor } = await listPublishedGames(platform, query, page);
    const developers = await findDevelopers(platform, games);
    return {
      games: await gameRecords(platform, games, 'public'),
      developers: developers.map((one) => userRecord(platform.addresses, one)),
      next_cursor,
    };
  });
  handleRoute('search', async ({ query }) => {
    const found = await search(platform, query.q, readLimit(platform.limits, query.limit));
    return {
      games: await gameRecords(platform, found.games, 'public'),
      developers: found.developers.map((one) => userRecord(platform.addresses, one)),
    };
  });
  gameRoutes(app, platform);
  handleRoute('categories', async () => ({ categories: [...CATEGORIES] }));
  handleRoute('developer', async ({ params, query }) => {
    const page = readPage(platform.limits, query);
    const user = await findDeveloperPage(platform, params.uid);
    if (user === undefined) throw failure('not_found', 'Cannot find this developer');
    const list = await listPublishedGames(platform, { developer: user.uid }, page);
    return {
      developer: userRecord(platform.addresses, user),
      games: await gameRecords(platform, list.games, 'public'),
      next_cursor: list.next_cursor,
    };
  });
}

/**
 * Returns the address at which the store shows the game. At that of the live release, a game that runs keeps its files when the
 * release is replaced. A game that ties saves to its address needs the same one for all releases.
 */
async function embedUrl({ db, addresses }: Platform, game: GamesTable): Promise<string> {
  const { slug, engine, live_release_id } = game;
  const release = await db
    .selectFrom('releases')
    .select('address')
    .where('id', '=', live_release_id)
    .executeTakeFirst();
  const found = engine === 'unity' ? 'game' : release?.address;
  return live_release_id !== null && (game.address ?? found) === 'release'
    ? releaseUrl(addresses, slug, live_release_id)
    : playUrl(addresses, slug);
}

function gameRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  handleRoute('game', async ({ params }) => {
    const game = await findPublishedGame(platform, params.slug);
    return {
      game: await gameRecord(platform, game, 'public'),
      developer: userRecord(platform.addresses, await findDeveloper(platform, game.developer_uid)),
    };
  });
  handleRoute('gamePage', async ({ params, request }) => {
    const game = await findPublishedGame(platform, params.slug);
    const isHere = params.slug === pageSlug(game);
    if (isHere && request.method === 'GET' && request.headers[VISIT_HEADER] === VISIT_OF_PAGE) {
      platform.stats.view(game.id);
    }
    const { releases } = await listReleases(
      platform,
      game,
      { limit: PAGE_RELEASES, after: null },
      'public',
    );
    return {
      game: await gameRecord(platform, game, 'public'),
      developer: userRecord(platform.addresses, await findDeveloper(platform, game.developer_uid)),
      page: await storePage(platform, game, 'public'),
      category: CATEGORIES.find((category) => category.id === game.category) ?? null,
      releases,
      embed: { url: await embedUrl(platform, game), allow: EMBED_ALLOW },
    };
  });
  handleRoute('gameReleases', async ({ params, query }) => {
    const page = readPage(platform.limits, query);
    return listReleases(platform, await findPublishedGame(platform, params.slug), page, 'public');
  });
}
