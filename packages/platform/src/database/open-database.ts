// Opens the database and migrates it to the newest schema.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Kysely, PostgresDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { migrationsFor } from './migrations.ts';
import type { Db, Tables } from './schema.ts';
import { NodeSqliteDialect, openSqliteFile } from './sqlite-dialect.ts';

const BIGINT_OID = 20;

export type OpenDatabase = {
  readonly db: Db;
  readonly engine: 'sqlite' | 'postgres';
  /**
   * Returns a number that changes after every write of any process. Null if reading it is not cheaper than the query that
   * it would save.
   */
  readonly changeStamp: (() => number) | null;
};

/** Opens PostgreSQL if there is a URL, else SQLite in the data folder. Throws if it cannot be opened or migrated. */
export async function openDatabase(
  dataDir: string,
  databaseUrl: string | null,
): Promise<OpenDatabase> {
  const opened = databaseUrl === null ? openSqlite(dataDir) : openPostgres(databaseUrl);
  try {
    await migrate(opened);
  } catch (error) {
    await opened.db.destroy();
    throw error;
  }
  return opened;
}

function openSqlite(dataDir: string): OpenDatabase {
  const file = openSqliteFile(join(dataDir, 'platform.sqlite'));
  let writes = 0;
  const onWrite = (): void => {
    writes++;
  };
  return {
    db: new Kysely<Tables>({ dialect: new NodeSqliteDialect(file, onWrite) }),
    engine: 'sqlite',
    changeStamp: countChanges(file, () => writes),
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

function openPostgres(url: string): OpenDatabase {
  const types: pg.CustomTypesConfig = {
    getTypeParser(oid: number, format?: unknown) {
      if (oid === BIGINT_OID) return Number;
      return format === 'binary'
        ? pg.types.getTypeParser(oid, 'binary')
        : pg.types.getTypeParser(oid);
    },
  };
  const pool = new pg.Pool({ connectionString: url, max: 16, types });
  // If PostgreSQL closes an idle connection, the pool replaces it. Without this listener the process would exit.
  pool.on('error', () => {});
  return {
    db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }),
    engine: 'postgres',
    changeStamp: null,
  };
}

async function migrate({ db, engine }: OpenDatabase): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrationsFor(engine) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** Returns whether the error is a violation of a unique constraint, for both engines. */
export function isUniqueViolation(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('errcode' in error) return error.errcode === 2067 || error.errcode === 1555;
  return 'code' in error && error.code === '23505';
}
