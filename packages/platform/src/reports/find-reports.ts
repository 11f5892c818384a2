// Finds reports of games for administrators.
import type { QUERIES, Report } from '@svc/contracts/platform';
import type { Static } from 'typebox';
import type { Admin, Filter } from '../admin/act.ts';
import type { Db, GamesTable, ReportsTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { formatTime } from '../http/format-time.ts';
import { cutPage, readPage } from '../http/paging.ts';
import { countOpenReports } from '../notices/count-waiting.ts';
import { pageSlug } from '../projects/game-records.ts';

type ReportsQuery = Filter<Static<typeof QUERIES.adminReports>>;
type Sources = Pick<Admin, 'db' | 'addresses'>;

/** How many other reports of the same game are shown with one. */
const OTHERS = 20;

/** Returns a page of reports, newest first, and how many are open. */
export async function findReports(
  admin: Admin,
  query: ReportsQuery,
): Promise<{ reports: Report[]; next_cursor: string | null; open: number }> {
  const page = readPage(admin.limits, query);
  let found = admin.db.selectFrom('reports').selectAll();
  if (query.state !== undefined) {
    found = found.where('resolved_at', query.state === 'open' ? 'is' : 'is not', null);
  }
  if (query.reason !== undefined) found = found.where('reason', '=', query.reason);
  if (query.game !== undefined) found = found.where('game_id', '=', query.game);
  if (query.developer !== undefined) found = found.where('developer_uid', '=', query.developer);
  // Ids are made in the order of time.
  if (page.after !== null) found = found.where('id', '<', page.after.id);
  const rows = await found
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const cut = cutPage(rows, page, ({ created_at, id }) => ({ at: created_at, id }));
  return {
    reports: await reportRecords(admin, cut.rows),
    next_cursor: cut.next_cursor,
    open: await countOpenReports(admin.db),
  };
}

/** Returns a report, others of the same game, and how many of them all are open. Throws `not_found`. */
export async function findReport(
  admin: Sources,
  id: string,
): Promise<{ report: Report; others: Report[]; open: number }> {
  const { db } = admin;
  const row = await db.selectFrom('reports').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw unknownReport();
  const others = await db
    .selectFrom('reports')
    .selectAll()
    .where('game_id', '=', row.game_id)
    .where('id', '<>', id)
    .orderBy('id', 'desc')
    .limit(OTHERS)
    .execute();
  const [report, ...rest] = await reportRecords(admin, [row, ...others]);
  if (report === undefined) throw new Error('Cannot show a report: there is no record');
  return { report, others: rest, open: await countOpenReports(db, row.game_id) };
}

/** The error for an id without a report. */
export function unknownReport(): Error {
  return failure('not_found', 'Cannot find this report');
}

async function reportRecords(
  { db, addresses }: Sources,
  rows: readonly ReportsTable[],
): Promise<Report[]> {
  const games = await readGames(db, rows);
  const names = await readNames(db, rows);
  return rows.map((row) => {
    const game = games.get(row.game_id);
    const slug = game === undefined ? row.slug : pageSlug(game);
    const url = game === undefined ? null : `${addresses.webOrigin}/games/${slug}`;
    const { id, version, reason, text } = row;
    return {
      ...{ id, version, reason, text },
      created_at: formatTime(row.created_at),
      game: { id: row.game_id, title: game?.title ?? row.title, slug, url },
      developer: { uid: row.developer_uid, name: names.get(row.developer_uid) ?? '' },
      resolved: resolutionOf(row, names),
    };
  });
}

function resolutionOf(row: ReportsTable, names: ReadonlyMap<string, string>): Report['resolved'] {
  const { resolved_at, resolved_by: uid, operator, outcome, note } = row;
  if (resolved_at === null || outcome === null) return null;
  const name = uid === null ? operator : (names.get(uid) ?? null);
  return { at: formatTime(resolved_at), by: { uid, name }, outcome, note };
}

async function readGames(
  db: Db,
  rows: readonly ReportsTable[],
): Promise<ReadonlyMap<string, GamesTable>> {
  const ids = [...new Set(rows.map((row) => row.game_id))];
  if (ids.length === 0) return new Map();
  const games = await db.selectFrom('games').selectAll().where('id', 'in', ids).execute();
  return new Map(games.map((game) => [game.id, game]));
}

/** Returns the names of the developers, and of the administrators who decided. */
async function readNames(
  db: Db,
  rows: readonly ReportsTable[],
): Promise<ReadonlyMap<string, string>> {
  const uids = [
    ...new Set(rows.flatMap((row) => [row.developer_uid, row.resolved_by ?? row.developer_uid])),
  ];
  if (uids.length === 0) return new Map();
  const users = await db
    .selectFrom('users')
    .select(['uid', 'name'])
    .where('uid', 'in', uids)
    .execute();
  return new Map(users.map(({ uid, name }) => [uid, name]));
}
