// Takes a player's report of a game, and notifies its developer and the administrators.
import type { ReportGame } from '@svc/contracts/platform';
import { lockGame } from '../access/own-game.ts';
import { findPublishedGame } from '../catalog/find-games.ts';
import { newId } from '../database/new-id.ts';
import type { GamesTable, Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { countOpenReports } from '../notices/count-waiting.ts';
import { writeNotice } from '../notices/write-notice.ts';
import type { Platform } from '../platform.ts';
import { pageSlug } from '../projects/game-records.ts';

/**
 * Stores a report. It has no trace of who sent it. Throws `invalid_input` if the text is missing, `quota_exceeded` if too many reports are
 * open, and the errors of `findPublishedGame`.
 */
export async function reportGame(
  platform: Platform,
  slug: string,
  report: ReportGame,
): Promise<void> {
  const text = report.text?.trim() || null;
  if (report.reason === 'other' && text === null) throw missingText();
  const { id } = await findPublishedGame(platform, slug);
  await platform.db.transaction().execute(async (trx) => {
    // One report of a game after another, so that the limits and the first report of each reason are exact.
    const game = await lockGame(trx, id);
    if (game?.status !== 'published') throw failure('not_found', 'Cannot find this game');
    await checkOpen(platform, trx, game);
    const isNew = await isFirst(trx, game.id, report.reason);
    const at = platform.now();
    await trx
      .insertInto('reports')
      .values({
        ...{ id: newId(), created_at: at, reason: report.reason, text },
        ...{ game_id: game.id, title: game.title, slug: pageSlug(game) },
        developer_uid: game.developer_uid,
        version: await liveVersion(trx, game),
        ...{ resolved_at: null, resolved_by: null, operator: null, outcome: null, note: null },
      })
      .execute();
    if (isNew) await notify(trx, game, report.reason, at);
  });
}

function missingText(): Error {
  const message = 'The report has no text. Describe what is wrong with the game';
  return failure('invalid_input', message, { details: [{ path: '/text', message }] });
}

/** Bounds what callers without an account can store. */
async function checkOpen({ limits }: Platform, trx: Trx, game: GamesTable): Promise<void> {
  if ((await countOpenReports(trx, game.id)) >= limits.reports_open_per_game) {
    throw failure(
      'quota_exceeded',
      'This game was reported many times. The administrators will look at it, so another report is not needed',
    );
  }
  if ((await countOpenReports(trx)) >= limits.reports_open) {
    throw failure(
      'quota_exceeded',
      'Cannot take another report: too many are waiting for an administrator. Try again later',
    );
  }
}

/** Whether no open report of the game has this reason, so that nobody gets many notices about one fault. */
async function isFirst(trx: Trx, gameId: string, reason: ReportGame['reason']): Promise<boolean> {
  const other = await trx
    .selectFrom('reports')
    .select('id')
    .where('game_id', '=', gameId)
    .where('reason', '=', reason)
    .where('resolved_at', 'is', null)
    .executeTakeFirst();
  return other === undefined;
}

async function liveVersion(trx: Trx, { live_release_id }: GamesTable): Promise<string | null> {
  if (live_release_id === null) return null;
  const release = await trx
    .selectFrom('releases')
    .select('version')
    .where('id', '=', live_release_id)
    .executeTakeFirst();
  return release?.version ?? null;
}

/** Developers learn the reason, but not the text, which may show who wrote it. */
async function notify(trx: Trx, game: GamesTable, detail: string, at: number): Promise<void> {
  await writeNotice(trx, { uid: game.developer_uid, at, kind: 'game_reported', game, detail });
  const admins = await trx
    .selectFrom('users')
    .select('uid')
    .where('role', '=', 'admin')
    .where('suspended_at', 'is', null)
    .orderBy('uid')
    .execute();
  for (const { uid } of admins) {
    await writeNotice(trx, { uid, at, kind: 'report_received', game, detail });
  }
}
