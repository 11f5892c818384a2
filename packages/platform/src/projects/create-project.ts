// Creates a game as a draft.
import type { CreateProject, PlatformLimits } from '@svc/contracts/platform';
import { actorOf, writeAudit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { confirmCaller } from '../access/confirm-caller.ts';
import { checkMayCreate } from '../access/own-game.ts';
import { quotaOf } from '../access/quota.ts';
import { newId } from '../database/new-id.ts';
import type { GamesTable, Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { checkName } from '../http/check-names.ts';
import type { Platform } from '../platform.ts';
import { claimChosenSlug, claimSlugFor } from './slugs.ts';

/** Creates the game and returns it. Throws `invalid_input`, `slug_taken`, `quota_exceeded`, `project_not_in_token`. */
export async function createProject(
  platform: Platform,
  caller: Caller,
  input: CreateProject,
): Promise<GamesTable> {
  const { uid } = caller.user;
  const title = input.title.trim();
  const now = platform.now();
  checkName(platform.blockedWords, 'title', title);
  return platform.db.transaction().execute(async (trx) => {
    // This also locks the developer, so creations run one after the other and the count is right.
    const confirmed = await confirmCaller(platform, trx, caller);
    checkMayCreate(confirmed);
    await checkCount(trx, confirmed, platform.limits);
    const slug =
      typeof input.slug === 'string'
        ? await claimChosenSlug(platform, trx, { uid, slug: input.slug, gameId: null })
        : await claimSlugFor(platform, trx, uid, title);
    const game: GamesTable = {
      id: newId(),
      developer_uid: uid,
      title,
      slug,
      page_slug: null,
      engine: input.engine ?? 'html5',
      tagline: input.tagline ?? null,
      description: input.description ?? null,
      category: null,
      tags: JSON.stringify(input.tags ?? []),
      layout: null,
      isolation: null,
      profiling: 0,
      address: null,
      status: 'draft',
      owner_status: null,
      taken_down_at: null,
      taken_down_reason: null,
      live_release_id: null,
      banner_id: null,
      cover_id: null,
      trailer_id: null,
      screenshots: '[]',
      created_at: now,
      updated_at: now,
      published_at: null,
      content_bytes: 0,
      deleted_at: null,
    };
    await trx.insertInto('games').values(game).execute();
    await writeAudit(trx, {
      at: now,
      actor: actorOf(caller),
      action: 'project.created',
      subject: game.id,
      detail: slug,
    });
    return game;
  });
}

/** Throws `quota_exceeded` if the user has as many projects as they may. Deleted ones count until they are removed. */
async function checkCount(trx: Trx, { user }: Caller, limits: PlatformLimits): Promise<void> {
  const { all, deleted } = await trx
    .selectFrom('games')
    .select((eb) => [
      eb.fn.countAll<number | string>().as('all'),
      eb.fn.count<number | string>('deleted_at').as('deleted'),
    ])
    .where('developer_uid', '=', user.uid)
    .executeTakeFirstOrThrow();
  if (Number(all) < quotaOf(limits, user).projects) return;
  throw failure(
    'quota_exceeded',
    `Cannot create a project: you already have ${all}. ${howToMakeRoom(Number(deleted), limits)}`,
  );
}

function howToMakeRoom(deleted: number, { deleted_game_days }: PlatformLimits): string {
  if (deleted > 0) {
    return `Deleted projects that you can restore count too: ${deleted}. Remove one of them for good first`;
  }
  return deleted_game_days === 0 ? 'Delete one first' : 'Delete one first, and remove it for good';
}
