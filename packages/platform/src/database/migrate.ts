// Brings the database to the schema of this program, and decides whether the program can use the schema that it finds.
import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration';
import { COMPATIBLE_TABLE, migrationsFor } from './migrations.ts';

type Engine = 'sqlite' | 'postgres';

/** The difference between the migrations of the database and those of this program. Empty lists: they are equal. */
type SchemaDifference = {
  /** Migrations of this program that the database lacks. */
  readonly pending: readonly string[];
  /** Migrations that a newer program has applied, and with which this program cannot work. */
  readonly incompatible: readonly string[];
};

/**
 * Applies all pending migrations and returns their names. With `apply` false, throws if there are any. Throws if a newer
 * program has changed the schema so that this program cannot use it. Several processes may call this at the same time.
 */
export async function migrate<Tables>(
  db: Kysely<Tables>,
  engine: Engine,
  apply: boolean,
): Promise<string[]> {
  const { pending } = await checkSchema(db, engine);
  if (pending.length === 0) return [];
  if (!apply) {
    throw new Error(
      `Cannot start: the database lacks ${pending.join(', ')}. Run "svc-platform migrate" first, or unset SVC_MIGRATE`,
    );
  }
  const provider = { getMigrations: async () => migrationsFor(engine) };
  const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest();
  if (error !== undefined) {
    // A newer program may have applied its migrations meanwhile.
    const now = await checkSchema(db, engine);
    if (now.pending.length > 0) throw error;
  }
  return results.filter(({ status }) => status === 'Success').map((one) => one.migrationName);
}

async function checkSchema<Tables>(db: Kysely<Tables>, engine: Engine): Promise<SchemaDifference> {
  const difference = await compareSchema(db, engine);
  const [newer] = difference.incompatible;
  if (newer === undefined) return difference;
  throw new Error(
    `A newer version of svc-platform has changed the database (${newer}), and this version cannot use it. Use the newer version`,
  );
}

/** Returns the migrations that the database has, in order. */
export async function appliedMigrations<Tables>(db: Kysely<Tables>): Promise<string[]> {
  return [...(await readNames(db, DEFAULT_MIGRATION_TABLE))].sort();
}

/**
 * Brings an empty database to the schema that exactly these migrations make, the first ones of this program. Throws if the
 * database has others already.
 */
export async function migrateTo<Tables>(
  db: Kysely<Tables>,
  engine: Engine,
  names: readonly string[],
): Promise<void> {
  const others = (await appliedMigrations(db)).filter((name) => !names.includes(name));
  if (others.length > 0) {
    throw new Error(
      `The database has a newer schema than the backup (${others[0]}). Name a database without tables`,
    );
  }
  const provider = { getMigrations: async () => migrationsFor(engine) };
  const { error } = await new Migrator({ db, provider }).migrateTo(names.at(-1) ?? '');
  if (error !== undefined) throw error;
}

/** Compares the database with this program. A newer program marks the migrations with which older ones can work. */
export async function compareSchema<Tables>(
  db: Kysely<Tables>,
  engine: Engine,
): Promise<SchemaDifference> {
  const applied = await readNames(db, DEFAULT_MIGRATION_TABLE);
  const compatible = await readNames(db, COMPATIBLE_TABLE);
  const own = Object.keys(migrationsFor(engine));
  return {
    pending: own.filter((name) => !applied.has(name)),
    incompatible: [...applied].filter((name) => !own.includes(name) && !compatible.has(name)),
  };
}

/** Returns the column `name` of a table; nothing if there is no such table. */
async function readNames<Tables>(db: Kysely<Tables>, table: string): Promise<ReadonlySet<string>> {
  const found = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!found.some(({ name }) => name === table)) return new Set();
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)}`.execute(db);
  return new Set(rows.map(({ name }) => name));
}
