// Opens the database and migrates it to the newest schema.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Log, NO_LOG } from '@svc/observe';
import { Kysely, type LogEvent, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { reasonOf } from './database-failure.ts';
import { migrate } from './migrate.ts';
import { createOutages } from './outages.ts';
import {
  connectionOptions,
  createPostgresPool,
  type PoolUse,
  type PostgresOptions,
} from './postgres-pool.ts';
import type { Db, Tables } from './schema.ts';
import { NodeSqliteDialect, openSqliteFile } from './sqlite-dialect.ts';

export type OpenDatabase = {
  readonly db: Db;
  readonly engine: 'sqlite' | 'postgres';
  /** Returns a number that changes after every write of any process. Null for PostgreSQL, which has no such number. */
  readonly changeStamp: (() => number) | null;
  /** The use of the pool now. Null for SQLite, which has none. */
  readonly pool: PoolUse | null;
};

type DatabaseSettings = Omit<PostgresOptions, 'url'> & {
  /** Whether pending migrations are applied. If not, they are an error. */
  readonly migrate: boolean;
  /** Receives lines for the operator about a database that cannot be reached. */
  readonly log: Log;
  /** Receives each statement when it has ended. */
  readonly onStatement: (event: LogEvent) => void;
  /** Called with the error if there is no connection for a statement, which `onStatement` does not receive. */
  readonly onNoConnection: (error: Error) => void;
};

const DEFAULTS: DatabaseSettings = {
  connections: 16,
  timeoutMs: 4_000,
  migrate: true,
  log: NO_LOG,
  onStatement() {},
  onNoConnection() {},
};

/** Opens PostgreSQL if there is a URL, else SQLite in the data folder. Throws if it cannot be opened or migrated. */
export async function openDatabase(
  dataDir: string,
  databaseUrl: string | null,
  settings: Partial<DatabaseSettings> = {},
): Promise<OpenDatabase> {
  const options = { ...DEFAULTS, ...settings };
  await migrateDatabase(dataDir, databaseUrl, options);
  return databaseUrl === null
    ? openSqlite(dataDir, options)
    : openPostgres({ ...options, url: databaseUrl });
}

/** Migrates the database to the schema of this program. Returns the names of the migrations that it applied. */
export async function migrateDatabase(
  dataDir: string,
  databaseUrl: string | null,
  settings: Partial<DatabaseSettings> = {},
): Promise<string[]> {
  const options = { ...DEFAULTS, ...settings };
  if (databaseUrl !== null) return migratePostgres({ ...options, url: databaseUrl });
  const { db } = openSqlite(dataDir, options);
  try {
    return await migrate(db, 'sqlite', options.migrate);
  } finally {
    await db.destroy();
  }
}

/** Returns the path of the SQLite database in a data folder. */
export function sqlitePath(dataDir: string): string {
  return join(dataDir, 'platform.sqlite');
}

function openSqlite(
  dataDir: string,
  { log, onStatement }: Pick<DatabaseSettings, 'log' | 'onStatement'>,
): OpenDatabase {
  const file = openSqliteFile(sqlitePath(dataDir));
  let writes = 0;
  const onWrite = (): void => {
    writes++;
  };
  return {
    db: new Kysely<Tables>({
      dialect: new NodeSqliteDialect(file, onWrite, createOutages(log)),
      log: onStatement,
    }),
    engine: 'sqlite',
    changeStamp: countChanges(file, () => writes),
    pool: null,
  };
}

/** Counts this process's writes at once, and commits of other processes (SQLite's data_version) within a millisecond. */
function countChanges(file: DatabaseSync, ownWrites: () => number): () => number {
  const statement = file.prepare('PRAGMA data_version');
  let askedAt = 0;
  let version = 0;
  return () => {
    const now = Date.now();
    if (now !== askedAt) {
      askedAt = now;
      version = Number(statement.get()?.['data_version']);
    }
    return version * 2 ** 32 + ownWrites();
  };
}

function openPostgres(options: PostgresOptions & DatabaseSettings): OpenDatabase {
  const pool = createPostgresPool(options, createOutages(options.log), options.onNoConnection);
  return {
    db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log: options.onStatement }),
    engine: 'postgres',
    changeStamp: null,
    pool: pool.use,
  };
}

/** Migrates on a connection without a limit for statements, because a migration may change large tables. */
async function migratePostgres(options: PostgresOptions & DatabaseSettings): Promise<string[]> {
  const pool = new pg.Pool({ ...connectionOptions(options), max: 2 });
  pool.on('error', () => {});
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    // The first statement shows whether the database can be reached.
    await sql`select 1`.execute(db).catch((error: unknown) => {
      throw new Error(`Cannot open the database: ${reasonOf(error)}`, { cause: error });
    });
    return await migrate(db, 'postgres', options.migrate);
  } finally {
    await db.destroy();
  }
}

/** Returns whether the error is a violation of a unique constraint, for both engines. */
export function isUniqueViolation(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('errcode' in error) return error.errcode === 2067 || error.errcode === 1555;
  return 'code' in error && error.code === '23505';
}
