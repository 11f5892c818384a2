// How much is stored, over all projects, for the operator.
import type { Db } from '../database/schema.ts';

/** Counts and bytes by the value of a label. */
export type Totals = Readonly<
  Record<'users' | 'games' | 'releases' | 'bytes', Readonly<Record<string, number>>>
>;

/** A sum over no rows is null, and PostgreSQL returns sums of bigint as text. */
type Sum = number | string | null;

/** Reads the totals. The bytes of media are those of the uploaded files, without variants. */
export async function readTotals(db: Db): Promise<Totals> {
  const users = await db
    .selectFrom('users')
    .select(['role', (eb) => eb.fn.countAll().as('count')])
    .where('deleted_at', 'is', null)
    .groupBy('role')
    .execute();
  const games = await db
    .selectFrom('games')
    .select([
      'status',
      (eb) => eb.fn.countAll().as('count'),
      (eb) => eb.fn.sum<Sum>('content_bytes').as('bytes'),
    ])
    .groupBy('status')
    .execute();
  const releases = await db
    .selectFrom('releases')
    .select([
      'zip_stored',
      (eb) => eb.fn.countAll().as('count'),
      (eb) => eb.fn.sum<Sum>('zip_bytes').as('bytes'),
    ])
    .where('deleted_at', 'is', null)
    .groupBy('zip_stored')
    .execute();
  const stored = releases.find((row) => row.zip_stored === 1);
  const made = releases.find((row) => row.zip_stored === 0);
  return {
    users: { player: 0, developer: 0, admin: 0, ...countsBy(users, 'role') },
    games: { draft: 0, published: 0, ...countsBy(games, 'status') },
    releases: { stored: Number(stored?.count ?? 0), made: Number(made?.count ?? 0) },
    bytes: {
      contents: games.reduce((sum, { bytes }) => sum + Number(bytes ?? 0), 0),
      builds: Number(stored?.bytes ?? 0),
      uploads: await sumOf(db, 'uploads'),
      media: await sumOf(db, 'media'),
      avatars: await sumOf(db, 'avatars'),
    },
  };
}

function countsBy<Label extends string>(
  rows: readonly ({ readonly count: number | string | bigint } & Readonly<Record<Label, string>>)[],
  label: Label,
): Record<string, number> {
  return Object.fromEntries(rows.map((row) => [row[label], Number(row.count)]));
}

async function sumOf(db: Db, table: 'uploads' | 'media' | 'avatars'): Promise<number> {
  const { bytes } = await db
    .selectFrom(table)
    .select((eb) => eb.fn.sum<Sum>('bytes').as('bytes'))
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}
