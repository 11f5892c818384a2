// Routes for administrators: users, games, the audit trail.
import { requestSchemas } from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import type { GamesTable } from '../database/schema.ts';
import { routesOn } from '../handle-route.ts';
import type { Platform } from '../platform.ts';
import { adminOf } from './act.ts';
import { editUser, endSessions, restoreUser, revokeTokens, suspendUser } from './change-user.ts';
import { adminGameRecords, findAllGames, findAnyGame, releasesOf } from './find-all-games.ts';
import { adminUserRecords, findUser, findUsers, tokensOf } from './find-users.ts';
import { readAudit } from './read-audit.ts';
import { restoreGame, takeDown } from './take-down.ts';

export function adminRoutes(app: App, platform: Platform): void {
  userRoutes(app, platform);
  userTokenRoutes(app, platform);
  gameRoutes(app, platform);
  routesOn(app, platform)('audit', ({ query }) => readAudit(platform, query));
}

function userRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  const { EditUser, SuspendUser } = requestSchemas(platform.limits);
  const answer = async (uid: string) => {
    const [user] = await adminUserRecords(platform, [await findUser(platform, uid)]);
    if (user === undefined) throw new Error('Cannot show a user: there is no record');
    return { user };
  };
  handleRoute('adminUsers', ({ caller, query }) => findUsers(adminOf(platform, caller), query));
  handleRoute('adminUser', ({ params }) => answer(params.uid));
  handleRoute(
    'editUser',
    async ({ caller, params, body }) => {
      await editUser(adminOf(platform, caller), params.uid, body);
      return answer(params.uid);
    },
    { body: EditUser },
  );
  handleRoute(
    'suspendUser',
    async ({ caller, params, body }) => {
      const reason = body.reason ?? null;
      const { games } = await suspendUser(adminOf(platform, caller), params.uid, reason);
      noteChanges(platform, games);
      return answer(params.uid);
    },
    { body: SuspendUser },
  );
  handleRoute('restoreUser', async ({ caller, params }) => {
    const { games } = await restoreUser(adminOf(platform, caller), params.uid);
    noteChanges(platform, games);
    return answer(params.uid);
  });
  handleRoute('endSessions', async ({ caller, params }) => {
    await endSessions(adminOf(platform, caller), params.uid);
    return answer(params.uid);
  });
}

function userTokenRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  handleRoute('userTokens', async ({ caller, params }) => ({
    tokens: await tokensOf(adminOf(platform, caller), params.uid),
  }));
  handleRoute('revokeUserTokens', async ({ caller, params }) => ({
    revoked: await revokeTokens(adminOf(platform, caller), params.uid, null),
  }));
  handleRoute('revokeUserToken', async ({ caller, params }) => {
    await revokeTokens(adminOf(platform, caller), params.uid, params.token);
    return null;
  });
}

function gameRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  const { TakeDown, RestoreGame } = requestSchemas(platform.limits);
  const answer = async (row: GamesTable) => {
    const [game] = await adminGameRecords(platform, [row]);
    if (game === undefined) throw new Error('Cannot show a game: there is no record');
    return { game };
  };
  handleRoute('adminGames', ({ caller, query }) => findAllGames(adminOf(platform, caller), query));
  handleRoute('adminGame', async ({ caller, params }) => {
    const game = await findAnyGame(platform, params.id);
    return { ...(await answer(game)), releases: await releasesOf(adminOf(platform, caller), game) };
  });
  handleRoute(
    'takeDown',
    async ({ caller, params, body }) => {
      const target = { gameId: params.id, version: body.version ?? null };
      const game = await takeDown(adminOf(platform, caller), target, body.reason ?? null);
      noteChanges(platform, [game]);
      return answer(game);
    },
    { body: TakeDown },
  );
  handleRoute(
    'restoreGame',
    async ({ caller, params, body }) => {
      const target = { gameId: params.id, version: body.version ?? null };
      const game = await restoreGame(adminOf(platform, caller), target);
      noteChanges(platform, [game]);
      return answer(game);
    },
    { body: RestoreGame },
  );
}

/** Lets this process play the new state at once. */
function noteChanges({ changes }: Platform, games: readonly GamesTable[]): void {
  for (const { slug, page_slug } of games) {
    changes.changed(slug);
    if (page_slug !== null) changes.changed(page_slug);
  }
}
