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

/** Compares the database with this program. A newer program marks the migrations with which older ones can work. */
export async function compareSchema<Tables>(
  db: Kysely<Tables>,
  engine: Engine,
): Promise<SchemaDifference> {
  const found = await db.introspection.getTables({ withInternalKyselyTables: true });
  const tables = new Set(found.map(({ name }) => name));
  const read = async (table: string): Promise<Set<string>> => {
    if (!tables.has(table)) return new Set();
    const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)}`.execute(db);
    return new Set(rows.map(({ name }) => name));
  };
  const applied = await read(DEFAULT_MIGRATION_TABLE);
  const compatible = await read(COMPATIBLE_TABLE);
  const own = Object.keys(migrationsFor(engine));
  return {
    pending: own.filter((name) => !applied.has(name)),
    incompatible: [...applied].filter((name) => !own.includes(name) && !compatible.has(name)),
  };
}
