// Creates a game as a draft.
import type { CreateProject } from '@svc/contracts/platform';
import { actorOf, writeAudit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { confirmCaller } from '../access/confirm-caller.ts';
import { checkMayCreate } from '../access/own-game.ts';
import { quotaOf } from '../access/quota.ts';
import { newId } from '../database/new-id.ts';
import type { GamesTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { Platform } from '../platform.ts';
import { claimChosenSlug, claimSlugFor } from './slugs.ts';

/** Creates the game and returns it. Throws `slug_taken`, `quota_exceeded`, `project_not_in_token`. */
export async function createProject(
  platform: Platform,
  caller: Caller,
  input: CreateProject,
): Promise<GamesTable> {
  const { uid } = caller.user;
  const title = input.title.trim();
  const now = platform.now();
  return platform.db.transaction().execute(async (trx) => {
    // This also locks the developer, so creations run one after the other and the count is right.
    const confirmed = await confirmCaller(platform, trx, caller);
    checkMayCreate(confirmed);
    const { count } = await trx
      .selectFrom('games')
      .select((eb) => eb.fn.countAll<number | bigint | string>().as('count'))
      .where('developer_uid', '=', uid)
      .executeTakeFirstOrThrow();
    if (Number(count) >= quotaOf(platform.limits, confirmed.user).projects) {
      throw failure(
        'quota_exceeded',
        `Cannot create a project: you already have ${count}. Delete one first`,
      );
    }
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
