// Routes for links to play a release: list, make, revoke.
import { type CreatePreview, type Preview, requestSchemas } from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import { actorOf, writeAudit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { lockOwnGame } from '../access/own-game.ts';
import type { GamesTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { routesOn } from '../handle-route.ts';
import type { Platform } from '../platform.ts';
import { checkReleaseNotTakenDown } from '../projects/game-status.ts';
import { endPreview } from '../storage/end-previews.ts';
import { waitForRemoval } from '../storage/wait-for-removal.ts';
import { previewRecord, putPreview } from './put-preview.ts';

export function previewRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  handleRoute('previews', async ({ game }) => ({ previews: await listPreviews(platform, game) }));
  handleRoute(
    'createPreview',
    async ({ caller, game, body }) => ({
      preview: await createPreview(platform, { caller, game, body }),
    }),
    { body: requestSchemas(platform.limits).CreatePreview },
  );
  handleRoute('revokePreview', async ({ caller, game, params }) => {
    await revokePreview(platform, { caller, game, id: params.preview });
    return null;
  });
}

/** Returns the links of a game that are valid, newest first. */
export async function listPreviews(platform: Platform, game: GamesTable): Promise<Preview[]> {
  const rows = await platform.db
    .selectFrom('previews')
    .innerJoin('releases', 'releases.id', 'previews.release_id')
    .selectAll('previews')
    .select('releases.version')
    .where('previews.game_id', '=', game.id)
    .where('previews.expires_at', '>', platform.now())
    .orderBy('previews.id', 'desc')
    .execute();
  return rows.map((row) => previewRecord(platform, game, row, row.version));
}

type CreateRequest = {
  readonly caller: Caller;
  readonly game: GamesTable;
  readonly body: CreatePreview;
};

async function createPreview(
  platform: Platform,
  { caller, game, body }: CreateRequest,
): Promise<Preview> {
  const { version, name = null, expires_in_days: days = null } = body;
  const gameId = game.id;
  const row = await platform.db.transaction().execute(async (trx) => {
    await lockOwnGame(platform, trx, caller, gameId);
    const release = await trx
      .selectFrom('releases')
      .select(['id', 'version', 'taken_down_at', 'taken_down_reason'])
      .where('game_id', '=', gameId)
      .where('version', '=', version)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (release === undefined) throw failure('not_found', 'Cannot find this release');
    checkReleaseNotTakenDown(release);
    return await putPreview(platform, trx, {
      ...{ gameId, releaseId: release.id, version, name, days },
      ...{ ownsRelease: false, actor: actorOf(caller) },
    });
  });
  await waitForRemoval(platform.upkeep.removeFiles(gameId));
  return previewRecord(platform, game, row, version);
}

type RevokeRequest = { readonly caller: Caller; readonly game: GamesTable; readonly id: string };

async function revokePreview(
  platform: Platform,
  { caller, game, id }: RevokeRequest,
): Promise<void> {
  await platform.db.transaction().execute(async (trx) => {
    await lockOwnGame(platform, trx, caller, game.id);
    const preview = await trx
      .selectFrom('previews')
      .selectAll()
      .where('id', '=', id)
      .where('game_id', '=', game.id)
      .executeTakeFirst();
    if (preview === undefined) throw failure('not_found', 'Cannot find this link');
    const at = platform.now();
    const actor = actorOf(caller);
    await endPreview(trx, preview, { actor, now: at });
    await writeAudit(trx, { at, actor, action: 'preview.revoked', subject: game.id, detail: id });
  });
  await waitForRemoval(platform.upkeep.removeFiles(game.id));
}
