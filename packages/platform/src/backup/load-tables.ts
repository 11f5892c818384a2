// Loads the dumps of a backup into an empty database.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { sql } from 'kysely';
import type { BareDatabase } from '../database/bare-database.ts';
import { migrateTo } from '../database/migrate.ts';
import type { Db, Trx } from '../database/schema.ts';
import type { SpoolFolder } from '../files/spool.ts';
import { writeStream } from '../files/write-stream.ts';
import type { ReadPart } from './parts.ts';
import { insertRows, parseRow, type Row } from './rows.ts';
import type { Snapshot } from './snapshot.ts';
import { TABLES } from './tables.ts';

const ROWS_AT_ONCE = 100;

/** The local files of the dumps, in the order in which they are loaded. */
type LocalDumps = readonly { readonly name: string; readonly path: string }[];

/** Copies the dumps to local files. Throws if one is missing or damaged. */
export async function fetchDumps(
  { tables }: Snapshot,
  readPart: ReadPart,
  folder: SpoolFolder,
  signal: AbortSignal,
): Promise<LocalDumps> {
  const dumps: { name: string; path: string }[] = [];
  for (const { name, hash, bytes } of tables) {
    signal.throwIfAborted();
    const path = folder.newFile();
    await writeStream(readPart({ folder: 'tables', hash, bytes }), path, () => {});
    dumps.push({ name, path });
  }
  return dumps;
}

/** Throws if a table of a backup has rows. Missing tables are empty. */
export async function throwUnlessEmpty(db: Db | Trx): Promise<void> {
  const found = new Set((await db.introspection.getTables()).map(({ name }) => name));
  for (const { name } of TABLES.filter((table) => found.has(table.name))) {
    const { rows } = await sql`select 1 as one from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length === 0) continue;
    throw new Error(
      `Cannot restore: the database has data already (in ${name}). Name an empty folder with --data-dir, or an empty database with SVC_DATABASE_URL`,
    );
  }
}

/** Makes the schema of the backup, and loads all rows in one transaction. Returns their number. */
export async function loadDumps(
  { db, engine }: Pick<BareDatabase, 'db' | 'engine'>,
  { migrations }: Snapshot,
  dumps: LocalDumps,
): Promise<number> {
  await migrateTo(db, engine, migrations);
  return db.transaction().execute(async (trx) => {
    await throwUnlessEmpty(trx);
    let count = 0;
    for (const { name, path } of dumps) {
      for await (const rows of readInPortions(path)) {
        await insertRows(trx, name, rows);
        count += rows.length;
      }
    }
    return count;
  });
}

async function* readInPortions(path: string): AsyncGenerator<Row[]> {
  let rows: Row[] = [];
  const input = createReadStream(path).pipe(createGunzip());
  for await (const line of createInterface({ input })) {
    rows.push(parseRow(line));
    if (rows.length < ROWS_AT_ONCE) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}
