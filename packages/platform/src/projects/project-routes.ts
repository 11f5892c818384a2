// Routes for a developer's own games: create, list, show, edit, move.
import { type EditProject, requestSchemas } from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import type { Caller } from '../access/caller.ts';
import { lockOwnGame } from '../access/own-game.ts';
import type { GamesTable } from '../database/schema.ts';
import { indexGame } from '../database/search-index.ts';
import { routesOn } from '../handle-route.ts';
import { checkName } from '../http/check-names.ts';
import { cutPage, type Page, readPage } from '../http/paging.ts';
import type { Platform } from '../platform.ts';
import { changeSlug, formerSlugs } from './change-slug.ts';
import { createProject } from './create-project.ts';
import { asIsolation, gameRecord, gameRecords, releaseRecord, storePage } from './game-records.ts';

export function projectRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  const { ChangeSlug, CreateProject, EditProject } = requestSchemas(platform.limits);
  handleRoute(
    'createProject',
    async ({ caller, body, count }) => {
      const game = await count.daily('projects', () => createProject(platform, caller, body));
      return { game: await gameRecord(platform, game, 'owner') };
    },
    { body: CreateProject },
  );
  handleRoute('projects', async ({ caller, query }) => {
    const page = readPage(platform.limits, query);
    const rows = await listOwnGames(platform, caller, page, query.slug);
    const cut = cutPage(rows, page, (game) => ({ at: game.created_at, id: game.id }));
    return {
      games: await gameRecords(platform, cut.rows, 'owner'),
      next_cursor: cut.next_cursor,
    };
  });
  handleRoute('project', async ({ game }) => {
    const live = await findLiveRelease(platform, game);
    return {
      game: await gameRecord(platform, game, 'owner'),
      page: await storePage(platform, game, 'owner'),
      live_release: live === undefined ? null : releaseRecord(platform, live, game, 'owner'),
      isolation: game.isolation === null ? null : asIsolation(game.isolation),
      profiling: game.profiling === 1,
      address: game.address,
      former_slugs: await formerSlugs(platform.db, game),
    };
  });
  handleRoute(
    'editProject',
    async ({ caller, game, body }) => {
      const changed = await editGame(platform, caller, game.id, editChanges(body));
      return { game: await gameRecord(platform, changed, 'owner') };
    },
    { body: EditProject },
  );
  handleRoute(
    'changeSlug',
    async ({ caller, game, body }) => {
      const changed = await changeSlug(platform, caller, game.id, body.slug);
      return { game: await gameRecord(platform, changed, 'owner') };
    },
    { body: ChangeSlug },
  );
}

/** Changes columns of the caller's game and updates the search index. Returns the changed game. */
async function editGame(
  platform: Platform,
  caller: Caller,
  id: string,
  changes: Partial<GamesTable>,
): Promise<GamesTable> {
  return platform.db.transaction().execute(async (trx) => {
    const game = await lockOwnGame(platform, trx, caller, id);
    const { title = game.title } = changes;
    // A form sends all fields. A title from before the word was blocked may stay.
    if (title !== game.title) checkName(platform.blockedWords, 'title', title);
    const changed = await trx
      .updateTable('games')
      .set({ ...changes, updated_at: platform.now() })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await indexGame(trx, changed);
    return changed;
  });
}

function editChanges(edit: EditProject): Partial<GamesTable> {
  const changes: Partial<GamesTable> = {};
  if (edit.title !== undefined) changes.title = edit.title.trim();
  if (edit.engine !== undefined) changes.engine = edit.engine ?? 'html5';
  if (edit.tagline !== undefined) changes.tagline = edit.tagline;
  if (edit.description !== undefined) changes.description = edit.description;
  if (edit.tags !== undefined) changes.tags = JSON.stringify(edit.tags ?? []);
  return changes;
}

async function listOwnGames(
  platform: Platform,
  caller: Caller,
  page: Page,
  slug: string | undefined,
): Promise<GamesTable[]> {
  const only = caller.kind === 'pat' ? caller.token.projects : null;
  let query = platform.db
    .selectFrom('games')
    .selectAll()
    .where('developer_uid', '=', caller.user.uid)
    .where('deleted_at', 'is', null);
  if (only !== null) query = query.where('id', 'in', only);
  if (slug !== undefined) {
    const ofSlug = platform.db.selectFrom('slugs').select('game_id').where('slug', '=', slug);
    query = query.where((eb) => eb.or([eb('slug', '=', slug), eb('id', '=', ofSlug)]));
  }
  const { after } = page;
  if (after !== null) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'id'), '<', tuple(after.at, after.id)),
    );
  }
  return query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

function findLiveRelease(platform: Platform, game: GamesTable) {
  return platform.db
    .selectFrom('releases')
    .selectAll()
    .where('id', '=', game.live_release_id ?? '')
    .executeTakeFirst();
}
