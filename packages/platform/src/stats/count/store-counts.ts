// Adds counts to the sums of a day.
import type { DailyCountsTable, Db, Trx } from '../../database/schema.ts';
import type { Counts } from './counters.ts';

/** Different names of missing files that are stored for a day of a game. */
const FILES_A_DAY = 20;
const ROWS_A_STATEMENT = 100;

type Engine = 'sqlite' | 'postgres';
type Stored = { readonly db: Db; readonly engine: Engine };

/** Stores the counts of some games for a day. Those of games that do not exist are dropped. */
export async function storeCounts(
  { db, engine }: Stored,
  day: string,
  counts: ReadonlyMap<string, Counts>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const games = await lockGames(trx, engine, [...counts.keys()]);
    if (games.length === 0) return;
    const names = await storedNames(trx, games, day);
    const rows = games.flatMap((gameId) => {
      const counted = counts.get(gameId);
      const known = names.get(gameId) ?? new Set<string>();
      return counted === undefined ? [] : rowsOf(gameId, day, counted, known);
    });
    // All processes lock rows in the same order.
    const sorted = rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    for (let from = 0; from < sorted.length; from += ROWS_A_STATEMENT) {
      await trx
        .insertInto('daily_counts')
        .values(sorted.slice(from, from + ROWS_A_STATEMENT))
        .onConflict((conflict) =>
          conflict.columns(['game_id', 'day', 'kind', 'name']).doUpdateSet((eb) => ({
            count: eb('daily_counts.count', '+', eb.ref('excluded.count')),
          })),
        )
        .execute();
    }
  });
}

/** Returns those of the games that exist. They cannot be deleted until the transaction ends. */
async function lockGames(trx: Trx, engine: Engine, ids: readonly string[]): Promise<string[]> {
  const games = trx.selectFrom('games').select('id').where('id', 'in', ids).orderBy('id');
  const locked = engine === 'postgres' ? games.forKeyShare() : games;
  return (await locked.execute()).map(({ id }) => id);
}

async function storedNames(
  trx: Trx,
  gameIds: readonly string[],
  day: string,
): Promise<Map<string, Set<string>>> {
  const rows = await trx
    .selectFrom('daily_counts')
    .select(['game_id', 'name'])
    .where('game_id', 'in', gameIds)
    .where('day', '=', day)
    .where('kind', '=', 'missing_file')
    .execute();
  const byGame = Map.groupBy(rows, (row) => row.game_id);
  return new Map([...byGame].map(([id, some]) => [id, new Set(some.map(({ name }) => name))]));
}

/** Returns the rows of a game. `known` are the names that are stored already. */
function rowsOf(
  game_id: string,
  day: string,
  { views, bytes, missing, plays, missingFiles }: Counts,
  known: Set<string>,
): DailyCountsTable[] {
  const row = (kind: DailyCountsTable['kind'], name: string, count: number) => ({
    ...{ game_id, day, kind, name, count },
  });
  const files = [...missingFiles].filter(([path]) => {
    if (known.size < FILES_A_DAY) known.add(path);
    return known.has(path);
  });
  return [
    ...[row('view', '', views), row('bytes', '', bytes), row('missing', '', missing)],
    ...[...plays].flatMap(([releaseId, { all, framed }]) => [
      row('play', releaseId, all),
      row('framed_play', releaseId, framed),
    ]),
    ...files.map(([path, count]) => row('missing_file', path, count)),
  ].filter(({ count }) => count > 0);
}

function keyOf({ game_id, kind, name }: DailyCountsTable): string {
  return `${game_id} ${kind} ${name}`;
}
