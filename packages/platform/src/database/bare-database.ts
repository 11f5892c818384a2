// The database as backups and restores use it: on one connection, without a change of its schema and without time limits.
import { existsSync } from 'node:fs';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { reasonOf } from './database-failure.ts';
import { type OpenDatabase, sqlitePath } from './open-database.ts';
import { connectionOptions } from './postgres-pool.ts';
import type { Db, Tables } from './schema.ts';
import { NodeSqliteDialect, openSqliteFile } from './sqlite-dialect.ts';

/** Where the database is: PostgreSQL at the address, or SQLite in the data folder if the address is null. */
export type DatabasePlace = {
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  /** Time limit in milliseconds for a connection to PostgreSQL. */
  readonly timeoutMs: number;
};

export type BareDatabase = AsyncDisposable & {
  readonly db: Db;
  readonly engine: OpenDatabase['engine'];
  /** Runs work that reads one state of the database, whatever is written meanwhile. It keeps nobody from writing. */
  inSnapshot<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
};

/** Returns whether there is a database to open: always for PostgreSQL. */
export function hasDatabase({ dataDir, databaseUrl }: DatabasePlace): boolean {
  return databaseUrl !== null || existsSync(sqlitePath(dataDir));
}

/** Opens the database. Throws if PostgreSQL cannot be reached. Creates a missing SQLite file, but not its folder. */
export async function openBareDatabase(place: DatabasePlace): Promise<BareDatabase> {
  return place.databaseUrl === null
    ? openSqlite(place.dataDir)
    : openPostgres({ url: place.databaseUrl, timeoutMs: place.timeoutMs });
}

function openSqlite(dataDir: string): BareDatabase {
  const file = openSqliteFile(sqlitePath(dataDir));
  const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(file, () => {}) });
  return {
    db,
    engine: 'sqlite',
    async inSnapshot(work) {
      // A transaction of Kysely would take the write lock.
      file.exec('begin');
      try {
        return await work(db);
      } finally {
        file.exec('rollback');
      }
    },
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}

async function openPostgres(options: { url: string; timeoutMs: number }): Promise<BareDatabase> {
  const pool = new pg.Pool({ ...connectionOptions(options), max: 2 });
  pool.on('error', () => {});
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await sql`select 1`.execute(db);
  } catch (error) {
    await db.destroy();
    throw new Error(`Cannot open the database: ${reasonOf(error)}`, { cause: error });
  }
  return {
    db,
    engine: 'postgres',
    inSnapshot: (work) =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((trx) => work(trx)),
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}
